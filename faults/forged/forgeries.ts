/** Forgeries: the ways in which a webhook can pretend to be a provider's, or to be new, and what must become of it. */
import { createHmac } from 'node:crypto';
import type { Chance } from '../bed/chance.ts';
import {
  base64url,
  hmac,
  JSON_TYPE,
  jwtOf,
  type Keys,
  type Letter,
  moonpaySignature,
  type Posted,
  PROVIDERS,
  type Provider,
  signLetter,
} from '../bed/wire.ts';

/** What a forger has in hand. */
export interface Forge {
  /** True news that have not been sent yet: to be believed would be to be effective. */
  unseen: Letter;
  /** True news that have been sent and believed before. */
  seen: Letter;
  keys: Keys;
  /** Seconds since 1970, rounded down and up. */
  now: number;
  next: number;
  chance: Chance;
}

export interface Forgery {
  fault: string;
  name: string;
  /** Whether it has to be refused; the others are repetitions, which may be acknowledged and change nothing. */
  refused: boolean;
  /** All, when it does not say. */
  of?: readonly Provider[];
  forge(forge: Forge): Posted & { search?: string };
}

/** As the provider would send it now. */
const honest = (letter: Letter, { keys, now }: Forge): Posted => signLetter(letter, keys, now);

function withKey(letter: Letter, key: string, { now }: Forge): Posted {
  return signLetter(letter, { moonpay: key, transak: key, mercuryo: key }, now);
}

function flipBit(bytes: Buffer, { chance }: Forge): Buffer {
  const flipped = Buffer.from(bytes);
  const at = chance.whole(0, flipped.length - 1);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << chance.whole(0, 7));
  return flipped;
}

/** A lower-case letter or digit of a signature, replaced by another. */
function spoil(text: string, at: number, chance: Chance): string {
  const other =
    text[at] === 'a' ? 'b' : chance.pick(['a', 'c', 'd', 'e', 'f'].filter(one => one !== text[at]));
  return text.slice(0, at) + other + text.slice(at + 1);
}

/** Where the signature stands: at the end of a header, or of the token in the body. */
function spoilSignature(posted: Posted, { chance }: Forge): Posted {
  const [name = '', value = ''] =
    Object.entries(posted.headers).find(([header]) => header.includes('signature')) ?? [];
  const from = (length: number) => length - 1 - chance.whole(0, 39);
  if (name)
    return { ...posted, headers: { ...posted.headers, [name]: spoil(value, from(value.length), chance) } };
  const body = String(posted.body);
  return { ...posted, body: spoil(body, from(body.length - 2), chance) };
}

const moonpayAt = (letter: Letter, key: string, at: string): Posted => ({
  headers: { ...JSON_TYPE, ...moonpaySignature(key, at, letter.text) },
  body: letter.text,
});

const token = (jwt: string): Posted => ({ headers: JSON_TYPE, body: JSON.stringify({ data: jwt }) });

const F13: Omit<Forgery, 'fault' | 'refused'>[] = [
  { name: 'wrong key', forge: forge => withKey(forge.unseen, forge.chance.hex(32), forge) },
  { name: 'empty key', forge: forge => withKey(forge.unseen, '', forge) },
  {
    name: 'another provider’s key',
    forge: forge => {
      const others = PROVIDERS.filter(provider => provider !== forge.unseen.provider);
      return withKey(forge.unseen, forge.keys[forge.chance.pick(others)], forge);
    },
  },
  {
    name: 'signature of another webhook',
    forge: forge => {
      const { headers } = honest(forge.seen, forge);
      if (forge.unseen.provider !== 'transak') return { headers, body: forge.unseen.text };
      const [header] = jwtOf('', '').split('.');
      const signature = jwtOf(forge.seen.text, forge.keys.transak).split('.')[2];
      return token(`${header}.${base64url(forge.unseen.text)}.${signature}`);
    },
  },
  { name: 'no signature', forge: ({ unseen }) => ({ headers: JSON_TYPE, body: unseen.text }) },
  { name: 'signature cut short', forge: forge => cutSignature(honest(forge.unseen, forge)) },
  { name: 'one digit of the signature', forge: forge => spoilSignature(honest(forge.unseen, forge), forge) },
  {
    name: 'one bit of the body',
    forge: forge => {
      const { headers, body } = honest(forge.unseen, forge);
      return { headers, body: flipBit(Buffer.from(body), forge) };
    },
  },
  {
    name: 'body cut short',
    forge: forge => {
      const { headers, body } = honest(forge.unseen, forge);
      return { headers, body: body.slice(0, forge.chance.whole(1, body.length - 1)) };
    },
  },
  { name: 'no body', forge: forge => ({ ...honest(forge.unseen, forge), body: '' }) },
  {
    name: 'bytes that are not UTF-8',
    forge: forge => {
      const { headers, body } = honest(forge.unseen, forge);
      const bytes = Buffer.from(body);
      bytes[forge.chance.whole(0, bytes.length - 1)] = 0xff;
      return { headers, body: bytes };
    },
  },
  { name: 'list of 50 signatures', forge: forge => listOf(50, forge) },
  { name: 'list of 1,000 signatures', forge: forge => listOf(1_000, forge) },
  {
    name: 'another moment than was signed',
    of: ['moonpay'],
    forge: forge => {
      const { headers, body } = honest(forge.unseen, forge);
      const signed = headers['moonpay-signature-v2'] ?? '';
      const moved = `t=${forge.now - forge.chance.whole(1, 200)}`;
      return { headers: { ...JSON_TYPE, 'moonpay-signature-v2': signed.replace(/t=\d+/, moved) }, body };
    },
  },
  ...['none', 'None', 'HS512', 'HS384', 'RS256', 'hs256'].map(alg => ({
    name: `token with alg ${alg}`,
    of: ['transak'] as const,
    forge: ({ unseen, keys }: Forge) => {
      const signed = `${base64url(JSON.stringify({ alg }))}.${base64url(unseen.text)}`;
      const digest = { HS512: 'sha512', HS384: 'sha384' }[alg] ?? 'sha256';
      return token(`${signed}.${createHmac(digest, keys.transak).update(signed).digest('base64url')}`);
    },
  })),
  {
    name: 'token with alg none and no signature',
    of: ['transak'],
    forge: ({ unseen }) => token(`${base64url('{"alg":"none"}')}.${base64url(unseen.text)}.`),
  },
  {
    name: 'token with a header that must be understood',
    of: ['transak'],
    forge: ({ unseen, keys }) =>
      token(jwtOf(unseen.text, keys.transak, '{"alg":"HS256","crit":["b64"],"b64":false}')),
  },
  {
    name: 'token signed with the API secret',
    of: ['transak'],
    forge: ({ unseen }) => token(jwtOf(unseen.text, 'transak-sandbox-secret')),
  },
];

function cutSignature(posted: Posted): Posted {
  const entries = Object.entries(posted.headers).map(([name, value]) => [
    name,
    name.includes('signature') ? value.slice(0, -1) : value,
  ]);
  const body = posted.headers === JSON_TYPE ? String(posted.body).replace(/.(?="}$)/, '') : posted.body;
  return { headers: Object.fromEntries(entries), body };
}

function listOf(count: number, { unseen, now, chance }: Forge): Posted {
  const all = Array.from({ length: count }, () => hmac(chance.hex(8), unseen.text).digest('hex'));
  if (unseen.provider === 'transak') return token(all.map(one => `${one}.${one}.${one}`).join(','));
  const headers =
    unseen.provider === 'moonpay'
      ? { 'moonpay-signature-v2': `t=${now},${all.map(one => `s=${one}`).join(',')}` }
      : { 'x-signature': all.join(',') };
  return { headers: { ...JSON_TYPE, ...headers }, body: unseen.text };
}

const F14: Omit<Forgery, 'fault'>[] = [
  { name: 'sent again as it was', refused: false, forge: forge => honest(forge.seen, forge) },
  {
    name: 'sent again under another query',
    refused: false,
    forge: forge => ({ ...honest(forge.seen, forge), search: `?again=${forge.chance.hex(8)}` }),
  },
  {
    name: 'sent again in another envelope',
    refused: false,
    of: ['transak'],
    forge: forge => {
      const { headers, body } = honest(forge.seen, forge);
      return { headers, body: String(body).replace('}', `,"again":"${forge.chance.hex(8)}"}`) };
    },
  },
  {
    name: 'sent again with more white space',
    refused: false,
    of: ['mercuryo'],
    forge: forge => {
      const { headers, body } = honest(forge.seen, forge);
      const [at, count] = [forge.chance.whole(0, body.length), forge.chance.whole(1, 1_000)];
      return { headers, body: `${body.slice(0, at)}${' '.repeat(count)}${body.slice(at)}` };
    },
  },
  {
    name: 'sent again with another id, as it was signed',
    refused: true,
    of: ['mercuryo'],
    forge: forge => {
      const { headers, body } = honest(forge.seen, forge);
      return {
        headers,
        body: String(body).replace(/"eventId":"\w+"/, `"eventId":"${forge.chance.hex(12)}"`),
      };
    },
  },
  ...[301, 3_600, 29 * 86_400].map(seconds => ({
    name: `sent again ${seconds} s later`,
    refused: true,
    of: ['moonpay'] as const,
    forge: ({ seen, keys, now }: Forge) => moonpayAt(seen, keys.moonpay, String(now - seconds)),
  })),
];

/** Which moments are believed, all of them signed with the right key. */
const MOMENTS: readonly [name: string, isBelieved: boolean, write: (forge: Forge) => string][] = [
  ['299 s ago', true, ({ next }) => String(next - 299)],
  ['299 s ahead', true, ({ now }) => String(now + 299)],
  ['301 s ago', false, ({ now }) => String(now - 301)],
  ['301 s ahead', false, ({ next }) => String(next + 301)],
  ['in milliseconds', false, ({ now }) => String(now * 1_000)],
  ['negative', false, ({ now }) => String(-now)],
  ['with a fraction', false, ({ now }) => `${now}.5`],
  ['with an exponent', false, ({ now }) => `${now / 1e9}e9`],
  ['with a sign', false, ({ now }) => `+${now}`],
  ['with a blank', false, ({ now }) => ` ${now}`],
  ['in hexadecimal', false, ({ now }) => `0x${now.toString(16)}`],
  ['empty', false, () => ''],
  ['no number', false, () => 'now'],
  ['twice', false, ({ now }) => `${now},t=${now}`],
];

const F15: Omit<Forgery, 'fault'>[] = MOMENTS.map(([name, isBelieved, write]) => ({
  name: `moment ${name}`,
  refused: !isBelieved,
  of: ['moonpay'],
  forge: forge => moonpayAt(isBelieved ? forge.seen : forge.unseen, forge.keys.moonpay, write(forge)),
}));

export const FORGERIES: readonly Forgery[] = [
  ...F13.map(one => ({ ...one, fault: 'F13', refused: true })),
  ...F14.map(one => ({ ...one, fault: 'F14' })),
  ...F15.map(one => ({ ...one, fault: 'F15' })),
];
