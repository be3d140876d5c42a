/** X3, alterations: a signed checkout that was altered on its way makes no order, however it was altered. */
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { AT_ONCE, type Counter, EVIL, FIELDS, nowInSeconds, openCounter, SAID, signNow } from './counter.ts';
import { forgeSignatures } from './forgeries.ts';
import { type Scene, SHOP } from './scene.ts';
import { contentOf, FORMS, type Form, membersOf, type Signed, signText, writeBody } from './signing.ts';
import { TRICKS } from './tricks.ts';

export async function tryAlterations(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const counter = await openCounter(scene);
  const lines: Line[] = [];
  for (const form of FORMS) {
    lines.push(await signRightly(counter, form));
    lines.push(await playTricks(counter, form));
    lines.push(await playHarmless(counter, form));
    lines.push(await forgeSignatures(counter, form));
    lines.push(await replay(counter, form));
  }
  lines.push(await compareRows(counter));
  return { lines, examples: counter.examples };
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
async function signRightly(counter: Counter, form: Form): Promise<Line> {
  const count = counter.scene.world.small ? 2 : 10;
  let violations = 0;
  for (let at = 0; at < count; at++) {
    const { status, text } = await counter.post(withSignature(rightBody(), signNow(counter, form)));
    if (status === 200) continue;
    violations++;
    counter.examples.push(`${form}, rightly signed: ${status} ${text.slice(0, 200)}`);
  }
  return { fault: 'X3', what: `${form}: as it was signed, accepted`, count, violations, worst: '' };
}

async function playTricks(counter: Counter, form: Form): Promise<Line> {
  const statuses = new Map<number, number>();
  const tries = FIELDS.flatMap(field =>
    TRICKS.filter(({ isHarmless }) => !isHarmless).map(trick => ({ field, trick })),
  );
  let [count, violations] = [0, 0];
  await each(tries, AT_ONCE, async ({ field, trick }) => {
    const body = trick.play(SAID, field, EVIL[field]);
    if (body === undefined) return;
    const { status, text } = await counter.post(withSignature(body, signNow(counter, form)));
    count++;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status >= 400 && status < 500) return;
    violations++;
    counter.examples.push(`${form}, ${field}, ${trick.name}: ${status} ${text.slice(0, 120)}`);
  });
  const answers = [...statuses].sort().map(([status, times]) => `${status}: ${times}`);
  return { fault: 'X3', what: `${form}: fields × tricks`, count, violations, worst: answers.join(', ') };
}

/** What still says the same may be refused or accepted, but never as anything else: that is seen in the rows. */
async function playHarmless(counter: Counter, form: Form): Promise<Line> {
  const tries = FIELDS.flatMap(field =>
    TRICKS.filter(({ isHarmless }) => isHarmless).map(trick => ({ field, trick })),
  );
  let [count, accepted, violations] = [0, 0, 0];
  await each(tries, AT_ONCE, async ({ field, trick }) => {
    const body = trick.play(SAID, field, EVIL[field]);
    if (body === undefined) return;
    const { status } = await counter.post(withSignature(body, signNow(counter, form)));
    count++;
    if (status === 200) accepted++;
    else if (status < 400 || status >= 500) {
      violations++;
      counter.examples.push(`${form}, ${field}, ${trick.name}: ${status}`);
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

/** A nonce is good once: for the same body, for another one, and under another idempotency key. */
async function replay(counter: Counter, form: Form): Promise<Line> {
  const { post, pen, scene, examples } = counter;
  const { chance } = scene.world;
  const first = signNow(counter, form);
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
async function compareRows({ scene, examples }: Counter): Promise<Line> {
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
