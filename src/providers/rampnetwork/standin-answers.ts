/** Ramp Network's keys in the sandbox, and its refusals. */
import type { StandinAnswer } from '../world.ts';

export const SETTINGS = {
  hostApiKey: 'standin-ramp-host-api-key',
  // Ed25519, bytes 0 to 31: nobody's.
  signingKey: 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
  webhookPublicKey:
    'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEl6EQjy2GEPJjxz6X2K72HweQ2gQQu52VKkMeBQQvIAfi35xUgyLPMxO6ZIBcQn2uuTs8SCXaFRRjgnjiYKMgyg==',
};

/** The other half of the public key. */
export const WEBHOOK_KEY =
  'MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgna4QHPOTWjxg+V+KLBr1gBq3O9+I83tbuBDo2zhm4dihRANCAASXoRCPLYYQ8mPHPpfYrvYfB5DaBBC7nZUqQx4FBC8gB+LfnFSDIs8zE7pkgFxCfa65OzxIJdoVFGOCeOJgoyDK';

/** Only the condition about a currency and its method is published; the other ones are ours. */
export function refuse(status: number, condition: string): StandinAnswer {
  return { status, body: { code: `SERVICES.HOST_API.${condition}`, statusCode: status } };
}

export function unauthorized(): StandinAnswer {
  return refuse(401, 'INVALID_HOST_API_KEY');
}

/** As their router says it. */
export function notFound(path: string): StandinAnswer {
  return { status: 404, body: { message: `Cannot GET ${path}`, error: 'Not Found', statusCode: 404 } };
}
