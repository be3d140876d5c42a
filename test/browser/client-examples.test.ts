/** The client's examples, run as they are against the real service: a shop's server, a plain page, and a React component. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { eventually } from '../contract/patience.ts';
import { PROVIDERS } from '../contract/world.ts';
import { blocksOf, WRITTEN_PORT, WRITTEN_URL } from '../docs.ts';
import { startTestService, type TestService } from '../service.ts';
import { openBrowser } from './chromium.ts';
import { arrive, completeNow, goOn, type Person, reaches } from './purchase-person.ts';
import { WALLET } from './purchase-world.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'client/examples');
/** Pictures of the pages, to be looked at. */
const SHOTS = join(tmpdir(), 'cloverleaf-client');
const LIMIT = { timeout: 120_000 };

let service: TestService;
let browser: Browser;
let person: Person;
let shopPort: number;
let site: Server;
let siteUrl: string;

beforeAll(async () => {
  shopPort = await freePort();
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/build-client.mjs')]);
  const env = { QUOTE_DEADLINE_MS: '10000', WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${shopPort}` };
  [service, browser] = await Promise.all([startTestService(env, { only: PROVIDERS }), openBrowser()]);
  person = await arrive(browser);
  site = await startSite();
  siteUrl = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  await mkdir(SHOTS, { recursive: true });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  site?.closeAllConnections();
  site?.close();
  await service?.close();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

const TYPES = { html: 'text/html', css: 'text/css', js: 'text/javascript' };

/** A shop's own site with the two pages; nothing runs on it but what stands in files of its own and of the service. */
async function startSite(): Promise<Server> {
  const { outputFiles } = await build({
    entryPoints: [join(EXAMPLES, 'react/main.tsx')],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    define: { 'process.env.NODE_ENV': '"production"' },
    logLevel: 'error',
  });
  const own: Record<string, string> = {
    '/page/settings.js': `export const service = '${service.url}';\nexport const key = '${service.account.publicKey}';\n`,
    '/react/main.js': outputFiles[0]?.text ?? '',
    '/react/index.html': `<!doctype html><html lang="en"><meta charset="utf-8"><title>Buy</title><link rel="icon" href="data:,">
      <script type="module" src="main.js"></script>
      <body><div id="buy" data-service="${service.url}" data-key="${service.account.publicKey}" data-wallet="${WALLET}"></div>`,
  };
  const policy = `default-src 'none'; script-src 'self' ${service.url}; connect-src ${service.url}; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`;
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    const text = own[path] ?? (await readFile(join(EXAMPLES, path), 'utf8').catch(() => undefined));
    const type = TYPES[path.split('.').at(-1) as keyof typeof TYPES] ?? 'text/plain';
    response.writeHead(text === undefined ? 404 : 200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy': policy,
    });
    response.end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function openExample(path: string): Promise<Page> {
  const page = await person.context.newPage();
  await page.goto(siteUrl + path);
  return page;
}

/** From our pay page to the end, with nothing on any page complained of. */
async function completes(page: Page): Promise<void> {
  await page.locator('html.live').waitFor();
  await completeNow(await goOn(page));
  await reaches(page, 'completed');
  await page.close();
  expect(person.complaints).toEqual([]);
}

const client = () =>
  createClient({ url: service.url, key: service.account.publicKey, secret: service.account.secret });

test('a shop’s server makes checkouts, hears of them and marks orders delivered', LIMIT, async () => {
  const shopUrl = `http://127.0.0.1:${shopPort}`;
  const { secret } = await client().webhooks.add(`${shopUrl}/hooks/cloverleaf`);
  const shop = await startShop(secret);
  const post = async (path: string, body: object) => {
    const answer = await fetch(shopUrl + path, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as { payUrl: string } };
  };
  try {
    const order = { id: 'order-1', amount: '100', wallet: WALLET };
    const made = await post('/orders', order);
    expect(made).toMatchObject({ status: 201, body: { id: 'order-1', payUrl: expect.any(String) } });
    // Asked for again it is the same one.
    expect((await post('/orders', order)).body.payUrl).toBe(made.body.payUrl);
    expect(await post('/orders', { ...order, id: 'order-2', amount: '1,5' })).toMatchObject({
      status: 400,
      body: { field: 'amount' },
    });
    expect((await post('/hooks/cloverleaf', { status: 'completed', partnerContext: 'order-1' })).status).toBe(
      401,
    );

    const page = await person.context.newPage();
    await page.goto(made.body.payUrl);
    await completes(page);
    const state = async () => {
      const answer = await fetch(`${shopUrl}/orders/order-1`);
      return ((await answer.json()) as { state: string }).state;
    };
    await eventually(async () => (await state()) === 'delivered', 'the order is delivered', {
      longestMs: 30_000,
    });
  } finally {
    shop.kill();
    await once(shop, 'exit');
  }
});

async function startShop(secret: string): Promise<ChildProcess> {
  const shop = spawn(process.execPath, [join(EXAMPLES, 'node-server/server.js')], {
    env: {
      CLOVERLEAF_URL: service.url,
      CLOVERLEAF_KEY: service.account.publicKey,
      WEBHOOK_SECRET: secret,
      PORT: String(shopPort),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [said] = await once(shop.stdout, 'data');
  expect(String(said)).toContain('The shop is open');
  return shop;
}

test(
  'a plain page shows offers as they come, says what is wrong, and leads to the pay page',
  LIMIT,
  async () => {
    const page = await openExample('/page/index.html');
    const offers = page.locator('#quotes button:enabled');
    await page.getByText(`${PROVIDERS.length} offers`).waitFor();
    expect(await offers.count()).toBe(PROVIDERS.length);
    await page.screenshot({ path: join(SHOTS, 'page.png') });

    await page.getByLabel('You pay').fill('0.01');
    await page.getByText('0 offers').waitFor();
    expect(await page.locator('#quotes li').first().innerText()).toMatch(/EUR/);
    await page.getByLabel('You pay').fill('1,5');
    await page.getByText('amount must be a decimal number').waitFor();
    await page.getByLabel('You pay').fill('120.50');
    await page.getByText(`${PROVIDERS.length} offers`).waitFor();

    const wallet = page.getByLabel('Your bitcoin address');
    await wallet.fill('nonsense');
    await offers.first().click();
    await page.locator('#status', { hasText: 'wallet.address' }).waitFor();
    // The browser itself notes the 400 in its console.
    expect(person.complaints.splice(0)).toEqual([expect.stringContaining('400')]);
    await wallet.fill(WALLET);
    let orders = 0;
    page.on('request', request => {
      if (request.method() === 'POST' && request.url().includes('/checkout/intent')) orders++;
    });
    await offers.first().dblclick();
    await page.locator('html.live').waitFor();
    expect(orders).toBe(1);
    await completes(page);
  },
);

test('a plain page with a key that is none says so', LIMIT, async () => {
  const page = await person.context.newPage();
  await page.route('**/settings.js', async route => {
    const settings = (await readFile(join(EXAMPLES, 'page/settings.js'), 'utf8')).replace(
      WRITTEN_URL,
      service.url,
    );
    await route.fulfill({ contentType: 'text/javascript; charset=utf-8', body: settings });
  });
  await page.goto(`${siteUrl}/page/index.html`);
  await page.locator('#status', { hasText: 'key must be printable ASCII characters' }).waitFor();
  expect(person.complaints.splice(0)).toEqual([expect.stringContaining('key must be')]);
  await page.close();
});

test('a React component shows live quotes and starts the purchase', LIMIT, async () => {
  const page = await openExample('/react/index.html');
  await page.getByRole('button', { name: 'Buy with', disabled: false }).first().waitFor();
  await page.getByLabel('You pay').fill('0.01');
  await page.getByText('Nobody sells that amount').waitFor();
  await page.getByLabel('You pay').fill('80');
  const button = page.getByRole('button', { name: 'Buy with', disabled: false }).first();
  await button.waitFor();
  await page.screenshot({ path: join(SHOTS, 'react.png') });
  // Whoever has ordered and is still there cannot order twice, but whoever has come back can.
  await page.route('**/pay/*', route => route.fulfill({ status: 204 }), { times: 1 });
  const leaves = page.waitForRequest(/\/pay\//);
  await button.click();
  await leaves;
  expect(await button.count()).toBe(0);
  await page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))");
  await button.click();
  await completes(page);
  for await (const newest of client().transactions({ limit: 1 })) {
    expect(newest).toMatchObject({ status: 'completed', inAmount: '80', walletAddress: WALLET });
    break;
  }
});

test('the README’s lines run one after the other, and say what they should', LIMIT, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cloverleaf-readme-'));
  const port = await freePort();
  const lines = blocksOf('client/README.md').filter(({ language }) => language === 'js');
  const program = lines.map(({ text }) => text).join('\n');
  await mkdir(join(folder, 'node_modules/@cloverleaf'), { recursive: true });
  await symlink(join(ROOT, 'client'), join(folder, 'node_modules/@cloverleaf/client'));
  // The port first: the service's own may hold the same figures.
  const replaced = program.replace(WRITTEN_PORT, String(port)).replaceAll(WRITTEN_URL, service.url);
  await writeFile(join(folder, 'readme.mjs'), replaced);
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const env = { CLOVERLEAF_KEY: service.account.publicKey, WEBHOOK_SECRET: secret };
  const running = spawn(process.execPath, [join(folder, 'readme.mjs')], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  running.stdout.on('data', chunk => {
    said += chunk;
  });
  try {
    await eventually(() => said.includes('At least:'), 'the last line is said', { longestMs: 30_000 });
    for (const provider of PROVIDERS) expect(said).toMatch(new RegExp(`^${provider} 0\\.\\d+$`, 'm'));
    expect(said).toContain(`The person goes on at ${service.url}/pay/`);
    expect(said).toMatch(/At least: \d+(\.\d+)?$/m);
    const url = `http://127.0.0.1:${port}/`;
    const listens = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await eventually(listens, 'events can be told');
    const body = '{"status":"paid","transactionId":"1"}';
    const now = new Date();
    const headers = {
      'webhook-id': 'msg_1-2',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': new Webhook(secret).sign('msg_1-2', now, body),
    };
    expect((await fetch(url, { method: 'POST', body, headers })).status).toBe(204);
    expect((await fetch(url, { method: 'POST', body: `${body} `, headers })).status).toBe(401);
    await eventually(() => said.includes('msg_1-2 2 paid'), 'the event is told');
  } finally {
    running.kill();
    await rm(folder, { recursive: true, force: true });
  }
});
