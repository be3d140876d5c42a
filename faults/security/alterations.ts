/** X3, alterations: a signed checkout that was altered on its way makes no order, however it was altered. */
import { createHmac } from 'node:crypto';
import { createSeal } from '../../src/app/seal.ts';
import { addSigningKey, addSigningSecret, requireSignature } from '../../src/app/signed-checkout.ts';
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { type Heard, JSON_BODY } from './caller.ts';
import { type Scene, SHOP } from './scene.ts';
import {
  contentOf,
  FORMS,
  type Form,
  membersOf,
  newPen,
  type Pen,
  type Said,
  type Signed,
  signText,
  writeBody,
} from './signing.ts';
import { type Field, TRICKS } from './tricks.ts';

const SAID: Said = {
  ...{
    onramp: 'moonpay',
    source: 'eur',
    destination: 'xrp',
    network: 'ripple',
    amount: '100.50',
    type: 'buy',
  },
  ...{ paymentMethod: 'creditcard', partnerContext: 'order 7/\u00e4&b', memo: '12345' },
  address: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh',
  redirect: `https%3A%2F%2F${SHOP}%2Fdone`,
};

/** What somebody on the way would rather have: each by itself as good as the value it replaces. */
const EVIL: Readonly<Record<Field, string>> = {
  ...{
    onramp: 'transak',
    source: 'usd',
    destination: 'btc',
    network: 'bitcoin',
    amount: '200.00',
    type: 'sell',
  },
  ...{ paymentMethod: 'applepay', partnerContext: 'order 8/\u00e4&b', memo: '54321' },
  address: 'rDsbeomae4FXwgQTJp9Rs64Qg9vDiTCdBv',
  redirect: `https%3A%2F%2F${SHOP}%2Felsewhere`,
};

const FIELDS = Object.keys(SAID) as Field[];
const AT_ONCE = 8;

export async function tryAlterations(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const pen = await givePen(scene);
  const post = poster(scene);
  const bench = { scene, pen, post, examples: [] as string[] };
  const lines: Line[] = [];
  for (const form of FORMS) {
    lines.push(await signRightly(bench, form));
    lines.push(await playTricks(bench, form));
    lines.push(await playHarmless(bench, form));
    lines.push(await forgeSignatures(bench, form));
    lines.push(await replay(bench, form));
  }
  lines.push(await compareRows(bench));
  return { lines, examples: bench.examples };
}

interface Bench {
  scene: Scene;
  pen: Pen;
  post(body: string, key?: string): Promise<Heard>;
  examples: string[];
}

/** A secret and a key to sign with, without which nothing is bought from now on; known when an unsigned checkout is refused. */
async function givePen({ database, signing, world, caller, secrets }: Scene): Promise<Pen> {
  const masterKey = Buffer.from(world.env.MASTER_KEY ?? '', 'hex');
  const seal = createSeal(masterKey, 'account-signers');
  const { secret } = await addSigningSecret({ database, seal }, signing.publicKey);
  secrets.add(secret);
  const pen = newPen(secret);
  await addSigningKey(
    database,
    signing.publicKey,
    pen.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  );
  await requireSignature(database, signing.publicKey, true);
  const headers = [['authorization', signing.publicKey] as const, JSON_BODY];
  const body = writeBody(Object.entries(membersOf(SAID)));
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await caller.call({ method: 'POST', path: '/checkout/intent', headers, body });
    if (status === 403) return pen;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('checkouts that are not signed are still accepted');
}

function poster({ caller, signing }: Scene): Bench['post'] {
  return (body, key) => {
    const headers = [['authorization', signing.publicKey] as const, JSON_BODY];
    const also = key === undefined ? [] : [['idempotency-key', key] as const];
    return caller.call({ method: 'POST', path: '/checkout/intent', headers: [...headers, ...also], body });
  };
}

const nowInSeconds = () => Math.floor(Date.now() / 1000);

function signNow({ scene, pen }: Bench, form: Form): Signed {
  return signText(pen, form, contentOf(SAID, scene.world.chance.hex(24), nowInSeconds()));
}

/** A body and its signature in one. */
function withSignature(body: string, { signContent, signature }: Signed): string {
  const members = writeBody([
    ['signContent', JSON.stringify(signContent)],
    ['signature', JSON.stringify(signature)],
  ]);
  return body.replace(/\}(?=[^}]*$)/, () => `,${members.slice(1)}`);
}

const rightBody = () => writeBody(Object.entries(membersOf(SAID)));

/** That all else is refused means something only when this is not. */
async function signRightly(bench: Bench, form: Form): Promise<Line> {
  const count = bench.scene.world.small ? 2 : 10;
  let violations = 0;
  for (let at = 0; at < count; at++) {
    const { status, text } = await bench.post(withSignature(rightBody(), signNow(bench, form)));
    if (status === 200) continue;
    violations++;
    bench.examples.push(`${form}, rightly signed: ${status} ${text.slice(0, 200)}`);
  }
  return { fault: 'X3', what: `${form}: as it was signed, accepted`, count, violations, worst: '' };
}

async function playTricks(bench: Bench, form: Form): Promise<Line> {
  const statuses = new Map<number, number>();
  const tries = FIELDS.flatMap(field =>
    TRICKS.filter(({ isHarmless }) => !isHarmless).map(trick => ({ field, trick })),
  );
  let [count, violations] = [0, 0];
  await each(tries, AT_ONCE, async ({ field, trick }) => {
    const body = trick.play(SAID, field, EVIL[field]);
    if (body === undefined) return;
    const { status, text } = await bench.post(withSignature(body, signNow(bench, form)));
    count++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 400 && status < 500) return;
    violations++;
    bench.examples.push(`${form}, ${field}, ${trick.name}: ${status} ${text.slice(0, 120)}`);
  });
  const answers = [...statuses].sort().map(([status, times]) => `${status}: ${times}`);
  return { fault: 'X3', what: `${form}: fields × tricks`, count, violations, worst: answers.join(', ') };
}

/** What still says the same may be refused or accepted, but never as anything else: that is seen in the rows. */
async function playHarmless(bench: Bench, form: Form): Promise<Line> {
  const tries = FIELDS.flatMap(field =>
    TRICKS.filter(({ isHarmless }) => isHarmless).map(trick => ({ field, trick })),
  );
  let [count, accepted, violations] = [0, 0, 0];
  await each(tries, AT_ONCE, async ({ field, trick }) => {
    const body = trick.play(SAID, field, EVIL[field]);
    if (body === undefined) return;
    const { status } = await bench.post(withSignature(body, signNow(bench, form)));
    count++;
    if (status === 200) accepted++;
    else if (status < 400 || status >= 500) {
      violations++;
      bench.examples.push(`${form}, ${field}, ${trick.name}: ${status}`);
    }
  });
  return {
    fault: 'X3',
    what: `${form}: the same, said otherwise`,
    count,
    violations,
    worst: `${accepted} accepted as signed`,
  };
}

/** The signature, the nonce and the moment themselves. */
async function forgeSignatures(bench: Bench, form: Form): Promise<Line> {
  const { pen, post, scene, examples } = bench;
  const nonce = () => scene.world.chance.hex(24);
  const signed = () => signNow(bench, form);
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
  const forgeries: [string, Signed | object, Said?][] = [
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

function flip(signature: string): string {
  const at = signature.length - 9;
  return `${signature.slice(0, at)}${signature[at] === 'a' ? 'b' : 'a'}${signature.slice(at + 1)}`;
}

/** A nonce is good once: for the same body, for another one, and under another idempotency key. */
async function replay(bench: Bench, form: Form): Promise<Line> {
  const { post, pen, scene, examples } = bench;
  const { chance } = scene.world;
  const first = signNow(bench, form);
  const body = withSignature(rightBody(), first);
  const { status: began } = await post(body, `replay-${form}`);
  const nonce = /nonce=(\w+)/.exec(first.signContent)?.[1] ?? '';
  const other = { ...SAID, amount: '101.00' };
  const again = signText(pen, form, contentOf(other, nonce, nowInSeconds()));
  const tries: [string, string, string?][] = [
    ['the same again', body],
    ['the same under another key', body, `replay-${chance.hex(8)}`],
    ['the same in another order', withSignature(writeBody(Object.entries(membersOf(SAID)).reverse()), first)],
    ['another checkout by the same nonce', withSignature(writeBody(Object.entries(membersOf(other))), again)],
    ...Array.from({ length: 20 }, (_, at): [string, string] => [`at once ${at}`, body]),
  ];
  let violations = began === 200 ? 0 : 1;
  await each(tries, AT_ONCE, async ([name, text, key]) => {
    const { status } = await post(text, key);
    if (status === 409) return;
    violations++;
    examples.push(`${form}, replay, ${name}: ${status}`);
  });
  return { fault: 'X3', what: `${form}: nonces used before`, count: tries.length, violations, worst: '' };
}

interface Row {
  wallet_address: string;
  wallet_memo: string | null;
  amount: string;
  source: string;
  target: string;
  provider: string;
  method: string;
  partner_context: string;
  return_to: string | null;
}

/** Whatever was accepted stands as it was signed, by all of its fields, and each nonce once. */
async function compareRows({ scene, examples }: Bench): Promise<Line> {
  const rows = await scene.world.query<Row & { sign_nonce: string }>(
    `select t.* from transactions t join accounts a on a.id = t.account_id 
    where a.public_key = $1 and t.sign_nonce is not null`,
    [scene.signing.publicKey],
  );
  const { address, memo, source, destination, onramp, paymentMethod, partnerContext } = SAID;
  const wanted = [
    address,
    memo,
    source,
    destination,
    onramp,
    paymentMethod,
    partnerContext,
    `https://${SHOP}/done`,
  ];
  const wrong = rows.filter(row => {
    const { wallet_address, wallet_memo, target, provider, method, partner_context, return_to } = row;
    const kept = [
      wallet_address,
      wallet_memo,
      row.source,
      target,
      provider,
      method,
      partner_context,
      return_to,
    ];
    return Number(row.amount) !== 100.5 || kept.some((value, at) => value !== wanted[at]);
  });
  for (const row of wrong.slice(0, 5)) examples.push(`not as it was signed: ${JSON.stringify(row)}`);
  const repeated = rows.length - new Set(rows.map(({ sign_nonce }) => sign_nonce)).size;
  return {
    ...{ fault: 'X3', what: 'orders as they were signed, each nonce once', count: rows.length },
    ...{ violations: wrong.length + repeated, worst: '' },
  };
}
