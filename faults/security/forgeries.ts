/** X3, forgeries: the signature of a checkout, its nonce and its moment themselves are not what they should be. */
import { createHmac } from 'node:crypto';
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { AT_ONCE, type Counter, EVIL, FIELDS, nowInSeconds, SAID, signNow } from './counter.ts';
import {
  contentOf,
  type Form,
  membersOf,
  newPen,
  type Said,
  type Signed,
  signText,
  writeBody,
} from './signing.ts';
import type { Field } from './tricks.ts';

export async function forgeSignatures(counter: Counter, form: Form): Promise<Line> {
  const { post, examples } = counter;
  const forgeries = forgeriesOf(counter, form);
  let violations = 0;
  await each(forgeries, AT_ONCE, async ([name, forged, said = SAID]) => {
    const body = writeBody([
      ...Object.entries(membersOf(said)),
      ...Object.entries(forged).map(([member, text]) => [member, JSON.stringify(text)] as const),
    ]);
    const { status } = await post(body);
    if (status === 403 || status === 400) return;
    violations++;
    examples.push(`${form}, ${name}: ${status}`);
  });
  return {
    fault: 'X3',
    what: `${form}: signatures, nonces and moments`,
    count: forgeries.length,
    violations,
    worst: '',
  };
}

/** What it is called, what is sent in the place of a signature, and what the checkout says where that is altered too. */
type Forgery = [name: string, forged: Signed | object, said?: Said];

function forgeriesOf(counter: Counter, form: Form): Forgery[] {
  const { pen, scene } = counter;
  const nonce = () => scene.world.chance.hex(24);
  const signed = () => signNow(counter, form);
  const at = (moment: number | string) => signText(pen, form, contentOf(SAID, nonce(), moment));
  const over = (change: (content: string) => string) => {
    const right = signed();
    return { ...right, signContent: change(right.signContent) };
  };
  const spelled = (change: (signature: string) => string) => {
    const right = signed();
    return { ...right, signature: change(right.signature) };
  };
  const now = nowInSeconds();
  const raw = pen.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const byKey = (key: Buffer | string) => {
    const content = contentOf(SAID, nonce(), now);
    return { signContent: content, signature: createHmac('sha256', key).update(content).digest('hex') };
  };
  const evilContent = (field: Field) =>
    over(() => contentOf({ ...SAID, [field]: EVIL[field] }, nonce(), now));
  return [
    ...FIELDS.map((field): [string, Signed, Said] => [
      `${field} altered in the content as well`,
      evilContent(field),
      { ...SAID, [field]: EVIL[field] },
    ]),
    ...[301, 3_600, 86_400 * 365].flatMap((seconds): [string, Signed][] => [
      [`signed ${seconds} s ago`, at(now - seconds)],
      [`signed ${seconds + 1} s ahead`, at(now + seconds + 1)],
    ]),
    ...[
      now * 1_000,
      `${now}.0`,
      `+${now}`,
      ` ${now}`,
      `0${now}`,
      `-${now}`,
      '',
      'now',
      `0x${now.toString(16)}`,
      `${now}e0`,
    ].map((moment): [string, Signed] => [`signed at "${moment}"`, at(moment)]),
    ['another nonce', over(content => content.replace(/nonce=\w+/, `nonce=${nonce()}`))],
    ['another moment', over(content => content.replace(/timestamp=\d+/, `timestamp=${now - 7}`))],
    ['no nonce', over(content => content.replace(/&nonce=\w+/, ''))],
    ['two nonces', over(content => content.replace(/&nonce=\w+/, found => `${found}&nonce=${nonce()}`))],
    ['a short nonce', signText(pen, form, contentOf(SAID, 'short', now))],
    ['a nonce with a pair in it', signText(pen, form, contentOf(SAID, `${nonce()}&onramp=transak`, now))],
    ['more behind the content', over(content => `${content}&more=1`)],
    ['a line end behind the content', over(content => `${content}\n`)],
    ['a content of 9 kB', over(content => `${content}${'x'.repeat(9_000)}`)],
    ['no signature', { signContent: signed().signContent }],
    ['no content', { signature: signed().signature }],
    ['an empty signature', { ...signed(), signature: '' }],
    ['a signature in capitals', spelled(signature => signature.toUpperCase())],
    ['a signature with a blank', spelled(signature => ` ${signature}`)],
    ['a signature with a line end', spelled(signature => `${signature}\n`)],
    ['a signature cut short', spelled(signature => signature.slice(0, -1))],
    ['a signature twice', spelled(signature => `${signature}${signature}`)],
    ['one digit of it', spelled(signature => flip(signature))],
    ['a signature of zeros', spelled(signature => signature.replace(/[0-9A-Za-z+/](?=[^:]*$)/g, '0'))],
    [
      'the other form’s name',
      spelled(signature => (signature.startsWith('ed') ? signature.slice(8) : `ed25519:${signature}`)),
    ],
    ['HMAC with the public key', byKey(raw)],
    ['HMAC with the public key in base64', byKey(raw.toString('base64'))],
    [
      'HMAC with the public key in PEM',
      byKey(pen.publicKey.export({ type: 'spki', format: 'pem' }) as string),
    ],
    ['HMAC with nothing', byKey('')],
    ['HMAC with the account’s key', byKey(scene.signing.publicKey)],
    ['HMAC with the account’s secret', byKey(scene.signing.secret)],
    ['somebody else’s pen', signText(newPen('ss_other'), form, contentOf(SAID, nonce(), now))],
  ];
}

function flip(signature: string): string {
  const at = signature.length - 9;
  return `${signature.slice(0, at)}${signature[at] === 'a' ? 'b' : 'a'}${signature.slice(at + 1)}`;
}
