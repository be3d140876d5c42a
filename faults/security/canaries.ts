/** X8, canaries: what is secret or personal, said wherever it can be said, and then looked for where it must not be. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { signLetter, writeLetter } from '../bed/wire.ts';
import type { Line } from '../report.ts';
import { type Call, JSON_BODY, proofOf } from './caller.ts';
import { buy, PROXY, type Scene, SHOP } from './scene.ts';

const PURCHASES = { small: 4, full: 60 };
/** Longer than log lines are gathered for. */
const FLUSH_MS = 1_000;
const ADDRESSES = ['46.4.0.10', '2a01:4f8::17:2e', '85.214.132.117'];
/** What turns a line around, ends it, or rings a bell. */
const UNSEEN = '\u202e\u2066\u200f\u2028\u2029\u0007\u0000\u001b[31m\u0085\n{"level":60}\r\n';

export async function reviewCanaries(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const examples: string[] = [];
  const canaries = await singAll(scene);
  const bodies = await provoke(scene, canaries);
  await wait(FLUSH_MS);
  const log = readFileSync(scene.logFile, 'utf8');
  const metrics = (await scene.caller.call({ path: '/metrics' })).text;
  const files = keptFiles(scene.world).map(file => readFileSync(file, 'latin1'));
  const look = (what: string, texts: readonly string[]): Line => {
    const found = canaries.filter(({ text }) => texts.some(one => one.includes(text)));
    for (const { kind, text } of found) examples.push(`${what}: ${kind} ${text}`);
    const length = texts.reduce((sum, one) => sum + one.length, 0);
    return {
      // Where there is nothing to look through, nothing was looked for.
      ...{ fault: 'X8', what: `canaries in ${what}`, count: length > 0 ? canaries.length : 0 },
      violations: found.length,
      worst: `${length.toLocaleString('en')} characters looked through`,
    };
  };
  return {
    lines: [
      look('the log', [log]),
      look('metrics', [metrics]),
      look('bodies of errors', bodies),
      look('files of the data folder', files),
      readLines(log, examples),
    ],
    examples,
  };
}

interface Canary {
  kind: string;
  text: string;
}

/** Purchases as people make them, on both surfaces and by every provider, with what is known again. */
async function singAll(scene: Scene): Promise<Canary[]> {
  const { world, caller, own, secrets, things } = scene;
  const { chance } = world;
  const canaries: Canary[] = [...secrets].map(text => ({ kind: 'secret', text }));
  canaries.push({ kind: 'token', text: things.payToken });
  canaries.push(...ADDRESSES.map(text => ({ kind: 'address of a caller', text })));
  const count = world.small ? PURCHASES.small : PURCHASES.full;
  for (let at = 0; at < count; at++) {
    const wallet = `0x${chance.hex(40)}`;
    const context = `context-${chance.hex(16)}`;
    const way = `way-${chance.hex(16)}`;
    const uuid = randomUUID();
    const from = ADDRESSES[at % ADDRESSES.length] as string;
    const { payToken } = await buy(
      caller,
      own,
      {
        ...{ onramp: at % 2 ? 'moonpay' : 'transak', destination: 'eth', wallet: { address: wallet }, uuid },
        partnerContext: context,
        supportedParams: { partnerData: { redirectUrl: { success: `https://${SHOP}/${way}` } } },
      },
      [
        ['x-forwarded-for', from],
        ['idempotency-key', `key-${context}`],
      ],
    );
    for (const page of ['', '/state', '/return']) await caller.call({ path: `/pay/${payToken}${page}` });
    const headers = [['sec-fetch-site', 'same-origin'] as const, ['x-forwarded-for', from] as const];
    await caller.call({ method: 'POST', path: `/pay/${payToken}/open`, headers });
    canaries.push(
      // What a log may show of a wallet is how it begins and ends.
      { kind: 'wallet', text: wallet.slice(6, -4) },
      { kind: 'context', text: context },
      { kind: 'way back', text: way },
      { kind: 'person', text: uuid },
      { kind: 'token', text: payToken },
    );
  }
  canaries.push(...(await singBySteps(scene)));
  return canaries;
}

async function singBySteps({ world, caller, things }: Scene): Promise<Canary[]> {
  const email = `person-${world.chance.hex(12)}@${SHOP}`;
  const body = JSON.stringify({
    email,
    cryptocurrencyAddress: things.wallet,
    partnerContext: `context of ${email}`,
  });
  const token = await things.newStep();
  const path = `/legacy/transaction/moonpay/form/${token}`;
  await caller.call({
    method: 'POST',
    path,
    headers: [JSON_BODY, ['x-forwarded-for', ADDRESSES[0] as string]],
    body,
  });
  return [
    { kind: 'e-mail', text: email },
    { kind: 'token of a step', text: token },
    { kind: 'wallet', text: things.wallet.slice(6, -4) },
  ];
}

/** What goes wrong, with all of it in every place that a request has; the bodies of the answers. */
async function provoke(scene: Scene, canaries: readonly Canary[]): Promise<string[]> {
  const { caller, own, world } = scene;
  const bodies: string[] = [];
  const encoded = encodeURIComponent(UNSEEN);
  for (const { kind, text } of world.chance.shuffle(canaries).slice(0, 40)) {
    const named = [
      ['x-forwarded-for', text],
      ['user-agent', text],
      ['referer', `https://${SHOP}/${text}`],
    ] as const;
    const json = JSON.stringify({
      [kind]: text,
      wallet: { address: `${text}${UNSEEN}` },
      partnerContext: text,
    });
    const calls: Call[] = [
      { path: `/quotes/eur/btc?amount=${encoded}&walletAddress=${encodeURIComponent(text)}`, headers: named },
      { path: `/supported/assets?country=${encodeURIComponent(text)}`, headers: [['authorization', text]] },
      { path: '/transactions?cursor=x', headers: [...proofOf({ ...own, secret: text }), ...named] },
      {
        method: 'POST',
        path: '/checkout/intent',
        headers: [['authorization', own.publicKey], JSON_BODY],
        body: json,
      },
      { method: 'POST', path: '/hooks/moonpay', headers: [JSON_BODY, ...named], body: json },
      {
        method: 'POST',
        path: '/webhooks',
        headers: [...proofOf(own), JSON_BODY],
        body: JSON.stringify({ url: text }),
      },
      { method: 'POST', path: '/legacy/transaction/moonpay/form/none', headers: [JSON_BODY], body: json },
      {
        path: `/pay/none?lang=${encoded}`,
        headers: [
          ['cookie', text],
          ['accept-language', text],
        ],
      },
    ].filter(call => call.headers?.every(([, value]) => /^[\t\x20-\x7e]*$/.test(value)) ?? true) as Call[];
    for (const call of calls) bodies.push((await caller.call({ ...call, from: PROXY })).text);
  }
  bodies.push(await tellStrangely(scene));
  return bodies;
}

/** A provider's own word about an order of ours, rightly signed, that is none we know. */
async function tellStrangely({ world, caller, own }: Scene): Promise<string> {
  const { transactionId } = await buy(caller, own, { onramp: 'mercuryo' });
  const letter = writeLetter('mercuryo', {
    ...{
      reference: transactionId,
      theirs: world.chance.hex(16),
      word: `buy.strange ${UNSEEN}`,
      reason: null,
    },
    ...{ at: Date.UTC(2026, 0, 1), hash: null, cents: 10_000, coins: '0.001', serial: world.chance.hex(12) },
  });
  const { headers, body } = signLetter(letter, world.keys(), Math.floor(Date.now() / 1000));
  const call = { method: 'POST', path: '/hooks/mercuryo', headers: Object.entries(headers), body };
  return (await caller.call(call)).text;
}

/** Every line is JSON of its own, in which nothing hides. */
function readLines(log: string, examples: string[]): Line {
  const all = log.split('\n').filter(line => line !== '');
  const wrong = all.filter(line => !isJson(line) || HIDDEN.test(line));
  for (const line of wrong.slice(0, 5))
    examples.push(`a line of the log: ${JSON.stringify(line.slice(0, 200))}`);
  return {
    fault: 'X8',
    what: 'lines of the log that are whole and plain',
    count: all.length,
    violations: wrong.length,
    worst: '',
  };
}

const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function isJson(line: string): boolean {
  try {
    return typeof JSON.parse(line) === 'object';
  } catch {
    return false;
  }
}

/**
 * What is kept beside the database: whatever the instances write themselves, which is nothing while their key is given to
 * them, and what the embedded PostgreSQL does, above all its log. The database itself is where orders are to be kept.
 */
function keptFiles({ env, folder }: Scene['world']): string[] {
  const embedded = join(folder, 'data');
  return [env.DATA_DIR ?? '', embedded]
    .filter(existsSync)
    .flatMap(filesIn)
    .filter(file => !file.startsWith(join(embedded, 'postgres/')));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name));
}
