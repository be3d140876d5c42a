/** Topper's keys in the sandbox, what its tokens are held against, and its refusals. */
import { readDecimal, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import { splitToken } from '../jwt.ts';
import type { StandinAnswer, World } from '../world.ts';

/** Keys on P-256, nobody's: for each widget one of ours, which signs tokens, and one of theirs, which signs webhooks. */
export const SETTINGS = {
  buyWidgetId: '00000000-0000-4000-8000-746f70706572',
  sellWidgetId: '00000000-0000-4000-8000-746f70706573',
  keyId: '00000000-0000-4000-8000-6b6579000001',
  signingKey:
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDO+tS10uUBOccJKgXHtPPk6QE1Ibtuc9DVI5YRz01jOhRANCAARfE+iL2VPeqmLAh6vtiJRW/VishJMZqXhsHCtpqfuOzfvrutGZgUp8KAnGiSHmPteC3b1W8oV1johKSVm9cyGX',
  webhookPublicKey:
    '{"kty":"EC","crv":"P-256","alg":"ES256","x":"4fDCoWWmSYh1r-d-rfkUnRNh3MOcki294i1QQhCTVdY","y":"m4JMi7MeJtrizPbhoqgWp4KbuMZlDXCxlboszmlXfXM"}',
  sellKeyId: '00000000-0000-4000-8000-6b6579000002',
  sellSigningKey:
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgR+1M9mZoEaEIwjDIjNma7+/XHVdth8DMNbcfxic1unGhRANCAATEM2jy49MWIfaeO8FPAVOEQ7OqgbxZ4a5pLs1rd64mYf2FlBqZXdY2YX7lD0yEijayf+AoJBmuOP3PxErBJ79+',
  sellWebhookPublicKey:
    '{"kty":"EC","crv":"P-256","alg":"ES256","x":"eiXT88PYxtGBObXrDI62Lfj-KHAwqSfK3ZzC1fIY0Q4","y":"vGUdhDRPvxlU7bahLMRn-UsiCq3aUMDZXaDGMNoHRrc"}',
};

/** A widget's tokens are signed by its own key and no other. */
const WIDGETS: ReadonlyMap<unknown, { side: Side; kid: string; key: string }> = new Map([
  [SETTINGS.buyWidgetId, { side: 'buy', kid: SETTINGS.keyId, key: SETTINGS.signingKey }],
  [SETTINGS.sellWidgetId, { side: 'sell', kid: SETTINGS.sellKeyId, key: SETTINGS.sellSigningKey }],
]);

/** The other halves of their public keys. */
export const WEBHOOK_KEYS: Readonly<Record<Side, string>> = {
  buy: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgN7EPyA5xKotOJJJCrW31PnAq61rsgjyIilIQTdzpnZahRANCAATh8MKhZaZJiHWv536t+RSdE2Hcw5ySLb3iLVBCEJNV1puCTIuzHiba4sz24aKoFqeCm7jGZQ1wsZW6LM5pV31z',
  sell: 'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg935Xs8DwGJoB8nM3KIQNqkYPWG7O6LQslN/t89FTzNahRANCAAR6JdPzw9jG0YE5tesMjrYt+P4ocDCpJ8rdnMLV8hjRDrxlHYQ0T78ZVO22oSzEZ/lLIgqt2lDA2V2gxjDaB0a3',
};

/** How their errors look is not published. */
export function refuse(status: number, message: string): StandinAnswer {
  const error = status === 401 ? 'Unauthorized' : 'Bad Request';
  return { status, body: { statusCode: status, error, message } };
}

/** What a token asks for, each part as loose as it came. */
export interface Bootstrap {
  side: Side;
  jti: string;
  source: Part;
  target: Part;
  refund: Part;
  partner: Part;
  simulation: Part;
}

export type Part = Readonly<Record<string, unknown>>;

const LIFETIME_MS = 180_000;
/** How far ahead of ours the partner's clock may be: one of a sandbox may stand still. */
const LEEWAY_MS = 600_000;

/** "Bootstrap token": signed by the partner's key, for one of its widgets, not older than three minutes. */
export function readBootstrap(text: unknown, world: World): Bootstrap | undefined {
  const token = splitToken(text);
  const { alg, kid } = partOf(token?.header);
  const claims = partOf(token?.claims);
  const widget = WIDGETS.get(claims.sub);
  if (!token || alg !== 'ES256' || !widget || kid !== widget.kid) return undefined;
  const age = readDecimal(claims.iat)?.times(-1000).plus(world.now);
  if (!age || age.plus(LEEWAY_MS).lt(ZERO) || age.gt(LIFETIME_MS)) return undefined;
  if (typeof claims.jti !== 'string' || !claims.jti) return undefined;
  if (!world.isSigned('es256-base64url', widget.key, token.signed, token.signature)) return undefined;
  const { source, target, refund, partner, simulation } = claims;
  return {
    ...{ side: widget.side, jti: claims.jti },
    ...{ source: partOf(source), target: partOf(target), refund: partOf(refund) },
    ...{ partner: partOf(partner), simulation: partOf(simulation) },
  };
}

export function partOf(value: unknown): Part {
  return typeof value === 'object' && value !== null ? (value as Part) : {};
}

export function textOf(part: Part, name: string): string | undefined {
  const value = Object.hasOwn(part, name) ? part[name] : undefined;
  return typeof value === 'string' && value ? value : undefined;
}
