/** The package as it is published: it runs in plain Node, its types hold under strict rules, and it is small. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const MOST_BYTES = 8 * 1024;
const run = promisify(execFile);

let folder: string;

/** Packed as npm packs it, and unpacked where nothing of ours is near. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cloverleaf-package-'));
  const place = join(folder, 'node_modules/@cloverleaf/client');
  await mkdir(place, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: join(ROOT, 'client'),
  });
  await run('tar', ['-xzf', join(folder, stdout.trim()), '--strip-components=1', '-C', place]);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

const CONSUMER = `
import { type Amount, type CheckoutIntent, CloverleafError, createClient, isQuote, verifyWebhook } from '@cloverleaf/client';

const client = createClient({ url: 'https://ramps.example', key: 'pk_test_1', fetch });
const ask = { source: 'eur', destination: 'btc', amount: '100' };

export async function first(signal: AbortSignal): Promise<Amount | undefined> {
  for await (const event of client.streamQuotes(ask, { signal })) {
    if (event.kind === 'done') return event.quotes.find(isQuote)?.payout;
    // @ts-expect-error an early outcome has no id to order by
    event.outcome.quoteId;
    if (!isQuote(event.outcome)) return event.outcome.errors[0]?.minAmount;
  }
  return undefined;
}

export async function names(): Promise<string[]> {
  const types = await client.paymentTypes({ fiat: 'eur' });
  // @ts-expect-error only those of one currency have limits
  (await client.paymentTypes()).card?.details;
  return Object.values(types).map(({ details }) => details.currencyStatus);
}

export async function buy(): Promise<number | string> {
  try {
    const intent: CheckoutIntent = { ...ask, onramp: 'moonpay', wallet: { address: 'x' } };
    // @ts-expect-error an order says what is handed over
    const wrong: CheckoutIntent = { onramp: 'moonpay', destination: 'btc', amount: 1 };
    const { sessionInformation } = await client.checkout(wrong ?? intent, { idempotencyKey: 'a' });
    return sessionInformation.expiringTime;
  } catch (error) {
    if (error instanceof CloverleafError && error.kind === 'declined') return error.minAmount ?? '';
    // @ts-expect-error there is no such kind
    if (error instanceof CloverleafError && error.kind === 'nonsense') return '';
    throw error;
  }
}

export async function hear(body: Uint8Array, headers: Headers): Promise<string> {
  const event = await verifyWebhook({ body, headers, secret: ['whsec_1', 'whsec_2'] });
  return event.kind === 'transaction' ? event.transaction.status : event.kind;
}

export async function all(): Promise<string[]> {
  const ids: string[] = [];
  for await (const { transactionId } of client.transactions({ startDateTime: new Date() })) ids.push(transactionId);
  return ids;
}
`;

async function compiles(name: string, compilerOptions: object): Promise<void> {
  const place = join(folder, name);
  await mkdir(place);
  await writeFile(join(place, 'consumer.ts'), CONSUMER);
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    // The language's own; ours and Node's are checked.
    skipDefaultLibCheck: true,
    noEmit: true,
  };
  const config = {
    compilerOptions: { target: 'ES2022', ...strict, ...compilerOptions },
    files: ['consumer.ts'],
  };
  await writeFile(join(place, 'tsconfig.json'), JSON.stringify(config));
  const compiler = join(ROOT, 'node_modules/.bin/tsc');
  const said = await run(compiler, ['-p', place]).catch((error: { stdout: string }) => error);
  expect(said.stdout).toBe('');
}

describe('the package', () => {
  test('holds what is run and described, and asks for nothing else', async () => {
    const place = join(folder, 'node_modules/@cloverleaf/client');
    expect((await readdir(place)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
    const about = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
    expect([about.dependencies, about.peerDependencies]).toEqual([undefined, undefined]);
    const built = await readdir(join(place, 'dist'));
    const sources = (await readdir(join(ROOT, 'client/src'))).map(name => name.replace(/\.ts$/, ''));
    expect(built.sort()).toEqual(sources.flatMap(name => [`${name}.d.ts`, `${name}.js`]).sort());
  });

  test.concurrent('runs in plain Node', async () => {
    const program = `
      import { createServer } from 'node:http';
      import { CloverleafError, createClient } from '@cloverleaf/client';
      const server = createServer((_, response) => response.end('[{"ramp":"a","payout":0.123456789012345678}]')).listen(0, async () => {
        const client = createClient({ url: 'http://127.0.0.1:' + server.address().port });
        const ask = { source: 'eur', destination: 'btc', amount: 100 };
        const wrong = await client.quotes({ ...ask, amount: 'x' }).catch(error => error instanceof CloverleafError && error.kind);
        console.log((await client.quotes(ask))[0].payout, wrong);
        server.close();
        server.closeAllConnections();
      });`;
    const options = { cwd: folder, env: { PATH: process.env.PATH ?? '' } };
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', program], options);
    expect([stdout, stderr]).toEqual(['0.123456789012345678 badInput\n', '']);
  });

  test.concurrent('is typed for browsers', () =>
    compiles('browser', {
      module: 'ESNext',
      moduleResolution: 'Bundler',
      lib: ['ES2022', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
      types: [],
    }));

  test.concurrent('is typed for Node, where there is no page', () =>
    compiles('node', {
      module: 'NodeNext',
      lib: ['ES2022'],
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
    }));
});

test('the script for pages is at most 8 kB on the way', async () => {
  const script = await readFile(join(ROOT, 'dist/web/client.js'));
  const size = gzipSync(script, { level: 9 }).length;
  expect(size).toBeLessThanOrEqual(MOST_BYTES);
  expect(script.toString()).not.toMatch(/\beval\b|new Function|innerHTML/);
});
