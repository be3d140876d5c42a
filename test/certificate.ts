/** A certificate for tests of TLS, made anew each time. */
import { generateKeyPairSync, sign } from 'node:crypto';

/** A certificate that nobody has signed but itself, in DER (RFC 5280), by hand. */
export function selfSigned(host: string): { key: string; cert: string } {
  const der = (tag: number, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    const size = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 255];
    return Buffer.concat([Buffer.from([tag, ...size]), body]);
  };
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const ed25519 = der(0x30, der(0x06, Buffer.from([0x2b, 0x65, 0x70])));
  const commonName = der(0x30, der(0x06, Buffer.from([0x55, 0x04, 0x03])), der(0x0c, Buffer.from(host)));
  const name = der(0x30, der(0x31, commonName));
  const years = ['20200101000000Z', '20991231000000Z'].map(text => der(0x18, Buffer.from(text)));
  const tbs = der(
    0x30,
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1])),
    ed25519,
    name,
    der(0x30, ...years),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
  );
  const signature = der(0x03, Buffer.from([0]), sign(null, tbs, privateKey));
  const text = der(0x30, tbs, ed25519, signature).toString('base64');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  };
}
