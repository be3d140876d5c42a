/** Keys of every kind, and signatures that providers made with theirs. */
import { generateKeyPairSync } from 'node:crypto';
import type { SignatureKind } from '../src/providers/exchange.ts';

const encode = (text: string) => Buffer.from(text).toString('base64url');

export const COINBASE_SECRET =
  'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyB5tVYuj+ZU+UB4sRLoqYunkB+FOuaVvtfg45ELrQSWZA==';

interface SigningVector {
  what: string;
  how: SignatureKind;
  privateKey: string;
  text: string;
  signature: string;
}

/** Kinds that sign the same way each time. */
export const SIGNING: SigningVector[] = [
  {
    what: 'a Ramp Network page',
    how: 'ed25519-base64',
    privateKey: 'MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f',
    text: 'hostApiKey=demo_key&selectedCountryCode=FR&userAddress=0x0000000000000000000000000000000000000001&enabledFlows=ONRAMP&defaultFlow=ONRAMP&inAsset=EUR&outAsset=ETH_ETH&inAssetValue=100&timestamp=1700000000000',
    signature: 'CoN7K87Rqww7hD0GSpkApCVxiNvs0uS/f1etnfIIG/3Zk+QiqtLJ0Vfq4gSdf3/9f5fdOedrniyIGuBdMns1Bw==',
  },
  {
    what: 'a Coinbase token',
    how: 'ed25519-base64url',
    privateKey: COINBASE_SECRET,
    text: [
      '{"alg":"EdDSA","kid":"00000000-0000-4000-8000-0000000000aa","typ":"JWT","nonce":"0123456789abcdef0123456789abcdef"}',
      '{"sub":"00000000-0000-4000-8000-0000000000aa","iss":"cdp","uris":["POST api.developer.coinbase.com/onramp/v1/buy/quote"],"iat":1760000000,"nbf":1760000000,"exp":1760000120}',
    ]
      .map(encode)
      .join('.'),
    signature: 'vVj5p6ee4Kt2vRE3ZyB3kGjzuaQyvCvcVLuwYgX91iSiTi8Y9iKO-TYojcv3eat_n6twXlcWQvwWcYmRtoZ9BA',
  },
];

interface ProvingVector {
  what: string;
  how: SignatureKind;
  publicKey: string;
  text: string;
  signature: string;
}

export const RAMP_NETWORK: ProvingVector = {
  what: 'a Ramp Network webhook',
  how: 'secp256k1-base64',
  publicKey:
    'MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAE4H1R5ox+txqkvRXk+pKHdr1/YHN4yHiIwVtuCDBrycL4D+PRUrX0Edk4PKpEtLtaz8pTxMOh2rrd5wktIHW3Ow==',
  text: '{"purchase":{"asset":{"chain":"ETH","symbol":"ETH"},"fiatCurrency":"EUR","fiatValue":100,"id":"p1","status":"RELEASED"},"type":"RELEASED"}',
  signature:
    'MEUCIQDQ12EAaVboboVu6mmov4tri5dAd/GP4yCrSNhu6Zab9AIgUQkdt2xZncjL058f5QEpI7XB0CLrBZwhyX5GwVLW40w=',
};

export const PAYBIS: ProvingVector = {
  what: 'a Paybis request',
  how: 'rsa-pss-sha512-digest-base64',
  publicKey:
    'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA2y4sht6haHP0B1jiWEJhLWdZy8FudIWBeFjYBdgUlBzvZZ1DkV8gjvhRxOetL8ozJEmtZRhouCrdG4UPThcbXB29M9wAyLLmVTPcnnmyScZTP/EIuvaqawRHWzJQnllas7p4lHEF/02bYz0kUFRVkDI5qAJKOQWe4KcDcPk0IqzhkYyT2uFM6cJUE4uN1Jhl4TmyfgWvOo0C+dn34HeRoqyh9qZRELxxftwEE58/3SO68gTh3HqD+h1AxNziSpC0WDFKqGE82YiMYwxIqcwzfhIiO/+NepYViufKLOSSdQPre5Ls6NgKIKNlW4rPwodUo31hRKHA8hdnmBh6mL1QhQIDAQAB',
  text: '{"partnerUserId":"user-1","locale":"en"}',
  signature:
    'm/ZX0ABppYURVfntzCFZEZrfJn4/daYB2Z1EbXdWa4cDXaGRvi5SPWsku3Tg6J7SLWbUF5Ianq25LO5pEnJKAXoe9v6+Y//bZZ0ZL0TFNdXY1WBGVtIvc6kEglj9aGvZCW8QIebgGYrsghbslhdNlfAOPO+oki+VZ+DmByq2L4h5/Rx12T7AipsRMsick1yZZLLXWDDpEuEOZ3H9W/KMkyYZ8ai8R9D5+ih0+WCeQZI6OcSHMmG2U/+PEX07o3Q85/HuhH/aPWESEE+Gf5TB6EB7SZ+/tp2syGGVgNshH5M4RdRLK1lwQzNyHCtQH58cJBLJ4pPcNYSTKAcYMEimdg==',
};

const TOPPER: ProvingVector = {
  what: 'Topper’s documented webhook',
  how: 'es256-base64url',
  publicKey:
    '{"x":"7-INQ150R-MCWlj5X_wyGLRIRYAA-o8NakJiUq7gOGg","y":"dM-GsyJvdDOuALE3l-U9lPL8V3gY_5BPjLH539yTdKU","alg":"ES256","crv":"P-256","kid":"15a5142e-c20f-466e-8132-234dbdae97e7","kty":"EC"}',
  text: `eyJhbGciOiJFUzI1NiJ9.${encode('{"foo":"bar"}')}`,
  signature: '2H0Ypm5sVzuSpgyZySdAJan05lYxctqhmO8btghFQQzkisvSlNvNWzQ1kqTPXTLP_dR4zQZrTsSsShAK51I4EQ',
};

const GUARDARIAN: ProvingVector = {
  what: 'a Guardarian request',
  how: 'rsa-sha256-base64',
  publicKey: `-----BEGIN PUBLIC KEY-----
MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAwwW0XXemy1JEDjkCWawl
8SQwYEvCbEB19/BhDD3mi/ufIvjr8oll4+hVCrA2LFQWM2VAEhKZ2P3/5LwNxpts
NvC5Fpz10Gq22GosvWdviQknYC+tsiKKbzOStJh/hu3RebFH8AfdF0UO/gXA+loI
ksJsLW+G9nG7mqzj0zGkWpnU6cB0MDnKHZ876faBbSNirguEfVGDaRjx9f07S2/A
e4GOVWPjXrQucEXs1q000Z0R+two4uVumkufVxwvGDbvzqlEuVPcM0lKimcFwjN/
Gk1MMbsC/4b6BaDzzNi89jcWSh7lel5WMZCxSvr/teDCv9fJbvaYLdABkfIzvgzE
vwIDAQAB
-----END PUBLIC KEY-----`,
  text: '{"from_amount":100,"from_currency":"EUR","to_currency":"BTC","from_network":"EUR","to_network":"BTC"}',
  signature:
    'CV0JglCLDEsfLKuVbvkbf4fPtml5UmhvdR0gdGCRFSdcPbm2p2RSiUsX2GfrruKiKhsYberECPdnfdUOwpdZC88ic8B+gCN/Mm6daC+nQDh0Q4E5vCzXbemtTzBh2+ptsiIhi5eFySNjm073dCgAY0Lq054VDjSeF013EGxRX4OjClqKTeEJKgkABUCln6hl8ZiMCgCHDfoOimNzX9AHaOb6gFyHYOI4fNv8gjSri7+kNHqSwocHF5OcLvBQKZjxU+I+EP+FPXvL57WGdH9cso2UdLotc49fcBoABcpuyMtkqbfD2jpniQrjoZLHrZ8DrVn5LIm6nWfUT6WdEfmMCw==',
};

export const PROVING: ProvingVector[] = [
  ...SIGNING.map(({ privateKey, ...vector }) => ({ ...vector, publicKey: privateKey })),
  RAMP_NETWORK,
  PAYBIS,
  TOPPER,
  GUARDARIAN,
];

/** Keys of every kind, made up once. */
export const PAIRS = {
  ed25519: generateKeyPairSync('ed25519'),
  prime256v1: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }),
  secp256k1: generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  secp384r1: generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
export type Pair = (typeof PAIRS)['rsa'];

export const KINDS: [SignatureKind, keyof typeof PAIRS][] = [
  ['ed25519-base64', 'ed25519'],
  ['ed25519-base64url', 'ed25519'],
  ['es256-base64url', 'prime256v1'],
  ['secp256k1-base64', 'secp256k1'],
  ['rsa-sha256-base64', 'rsa'],
  ['rsa-pss-sha512-base64', 'rsa'],
  ['rsa-pss-sha512-digest-base64', 'rsa'],
];

export const pemOf = ({ privateKey }: Pair) => privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
export const openPemOf = ({ publicKey }: Pair) =>
  publicKey.export({ format: 'pem', type: 'spki' }).toString();
