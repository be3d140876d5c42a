/** Purchases by steps in a real browser: a client on an origin of its own, the real service, and its stand-ins. */
import { sql } from 'kysely';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from './chromium.ts';
import { clientUrl, startClient, type Wanted } from './earlier-client.ts';
import {
  begin,
  come,
  fill,
  heardBy,
  PERSON,
  PICTURE,
  picture,
  redirect,
  sees,
  stepsOf,
} from './earlier-person.ts';
import { type Site, startSite } from './pay-world.ts';
import {
  arrive,
  CARDS,
  goOn,
  type Person,
  payByCard,
  press,
  reaches,
  shown,
  signIn,
} from './purchase-person.ts';
import { type PurchaseWorld, startPurchaseWorld, WALLET } from './purchase-world.ts';

const LIMIT = { timeout: 120_000 };
let world: PurchaseWorld;
let browser: Browser;
let client: Site;
let stranger: Site;

beforeAll(async () => {
  [world, browser, client, stranger] = await Promise.all([
    startPurchaseWorld(),
    openBrowser(),
    startClient(),
    startSite(({ searchParams }) => listening(searchParams.get('page') ?? '')),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([client?.close(), stranger?.close()]);
  await world?.service.close();
});

/** A page that keeps what it hears, and frames another or opens it at a click. */
function listening(url: string): string {
  return `<title>Stranger</title><script>window.heard = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))</script>
<button id="pop" onclick="window.other = window.open('${url}')">Open</button><iframe src="${url}"></iframe>`;
}

/** Nobody's browser may have anything to complain of but what a client is told. */
const it = test.extend<{ person: Person }>({
  person: async ({ task: _ }, use) => {
    const person = await arrive(browser);
    try {
      await use(person);
    } finally {
      await person.leave();
    }
    expect(person.complaints.filter(text => !text.startsWith('Failed to load resource'))).toEqual([]);
    const known = [world.service.url, world.service.sandbox.url, client.url].map(url => new URL(url).host);
    expect([...person.hosts].filter(host => !known.includes(host))).toEqual([]);
  },
});

/** The client's page with its rates. */
function shop(person: Person, wanted: Partial<Wanted> = {}): Promise<Page> {
  return come(person, clientUrl(client, { base: `${world.service.url}/legacy`, ...wanted }));
}

/** What stands in the client's frame. */
async function framed(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('#screen[data-step=iframe] iframe');
  return (await element.contentFrame()) as Frame;
}

async function payFrame(page: Page): Promise<Frame> {
  const frame = await framed(page);
  await frame.locator('html.live').waitFor();
  return frame;
}

/** The last message that the client took for a step, which must be our page's. */
async function lastHeard(page: Page): Promise<Record<string, unknown> | undefined> {
  const heard = await heardBy(page);
  expect(heard.filter(({ origin }) => origin !== world.service.url)).toEqual([]);
  return heard.at(-1)?.data;
}

async function statusOf(txId: unknown): Promise<string | undefined> {
  const { rows } = await sql<{ status: string }>`
    select status from transactions where id = ${txId} and origin = 'earlier'`.execute(
    world.service.database,
  );
  return rows[0]?.status;
}

/** The client is done, and was told nothing of who and where. */
async function isCompleted(page: Page): Promise<void> {
  await sees(page, 'completed');
  const step = (await stepsOf(page)).at(-1);
  expect(step).toMatchObject({ type: 'completed', txId: expect.any(String) });
  expect(step.trackingUrl).toContain(`${world.service.url}/pay/`);
  expect(['paid', 'completed']).toContain(await statusOf(step.txId));
  const said = JSON.stringify([await heardBy(page), await page.evaluate('sent')]);
  for (const secret of [WALLET, 'jane.doe', 'Jane', '15112345678']) expect(said).not.toContain(secret);
}

describe.concurrent('a hosted provider', LIMIT, () => {
  it('is bought through in a frame', async ({ person }) => {
    const page = await shop(person);
    expect(await page.locator('#gateways').innerText()).toContain('moonpay');
    await begin(page, 'moonpay');
    const pay = await payFrame(page);
    expect(await shown(pay, '[data-row=pays] dd')).toBe('100.00 EUR');
    expect(await shown(pay, '#wallet')).toBe(WALLET);
    const provider = await goOn(pay);
    await signIn(provider, ['identity']);
    await picture(page, 'frame');
    await payByCard(provider);
    await isCompleted(page);
    expect((await stepsOf(page)).map(({ type }) => type)).toEqual(['form', 'iframe', 'completed']);
    expect(await heardBy(page)).toHaveLength(1);
    expect(await lastHeard(page)).toEqual((await stepsOf(page)).at(-1));
    // What the client links to shows what becomes of it.
    await page.locator('a').click();
    await reaches(page, 'completed');
  });

  it('is bought through in a window, which closes', async ({ person }) => {
    const page = await shop(person, { key: world.service.account.publicKey });
    await begin(page, 'mercuryo');
    const popup = await redirect(page);
    await popup.locator('html.live').waitFor();
    const closed = popup.waitForEvent('close');
    const provider = await goOn(popup);
    await signIn(provider, []);
    await payByCard(provider);
    await isCompleted(page);
    await closed;
    expect((await stepsOf(page)).map(({ type }) => type)).toEqual(['form', 'redirect', 'completed']);
    expect(await heardBy(page)).toHaveLength(1);
  });

  it('asks for a bank transfer, which the client shows', async ({ person }) => {
    const page = await shop(person, { method: 'sepaBankTransfer' });
    await begin(page, 'moonpay');
    const provider = await goOn(await payFrame(page));
    await signIn(provider, ['identity']);
    await sees(page, 'requestBankTransaction');
    expect(await page.locator('[data-bank=iban]').innerText()).toBe('DE89370400440532013000');
    expect(await page.locator('[data-bank=accountName]').innerText()).toBe('MoonPay Sandbox');
    expect(await page.locator('[data-bank=reference]').innerText()).toMatch(/^[0-9A-F]{10}$/);
    expect(Object.keys((await lastHeard(page)) ?? {}).sort()).toEqual([
      'depositBankAccount',
      'hint',
      'reference',
      'txId',
      'type',
    ]);
    await picture(page, 'bank');
  });

  it('says why it came to nothing', async ({ person }) => {
    const page = await shop(person);
    await begin(page, 'transak');
    const provider = await goOn(await payFrame(page));
    await signIn(provider, ['identity']);
    await provider.locator('.tools [data-action=fail]').click();
    await page.locator('#fatal:not(:empty)').waitFor();
    expect(await lastHeard(page)).toEqual({
      type: 'error',
      message: 'The purchase did not go through',
      fatal: true,
    });
  });

  it('is too late after a while', async ({ person }) => {
    const page = await shop(person);
    await begin(page, 'moonpay');
    const pay = await payFrame(page);
    const [, step] = await stepsOf(page);
    await world.run(sql`update transactions set expires_at = now() where id = ${step.txId}`);
    // The page may have noticed by itself already; then its frame is gone.
    await pay.evaluate('location.reload()').catch(() => {});
    await page.locator('#fatal:not(:empty)').waitFor();
    expect(await page.locator('#fatal').innerText()).toBe('The session has expired');
  });
});

describe.concurrent('a form', LIMIT, () => {
  it('names the field that is wrong, and goes on once it is right', async ({ person }) => {
    const page = await shop(person);
    await begin(page, 'moonpay', { cryptocurrencyAddress: `${WALLET}x` });
    await page.locator('[data-error=cryptocurrencyAddress]:not(:empty)').waitFor();
    await picture(page, 'wrong-field');
    await fill(page, { cryptocurrencyAddress: WALLET, email: 'jane' });
    await page.locator('[data-error=email]:not(:empty)').waitFor();
    expect(await page.locator('[data-error=cryptocurrencyAddress]').innerText()).toBe('');
    await fill(page, { email: 'jane.doe@example.com' });
    await payFrame(page);
  });
});

describe.concurrent('a provider that asks through us', LIMIT, () => {
  it('takes a code, a card in a frame and 3-D Secure in a window', async ({ person }) => {
    const page = await shop(person);
    await begin(page, 'openramp');
    await fill(page, { verifyEmailCode: '111111' });
    await page.locator('[data-error=verifyEmailCode]:not(:empty)').waitFor();
    await fill(page, { verifyEmailCode: '123456' });
    const card = await framed(page);
    await payByCard(card as unknown as Page, CARDS.secure);
    await sees(page, 'redirect');
    const popup = await redirect(page);
    const closed = popup.waitForEvent('close');
    await press(popup, 'secure', 'approve');
    await closed;
    await isCompleted(page);
    const types = (await stepsOf(page)).map(({ type }) => type);
    expect([...new Set(types)]).toEqual(['form', 'iframe', 'redirect', 'wait', 'completed']);
  });

  it('takes identity, documents and a selfie', async ({ person }) => {
    const page = await shop(person, { amount: '1500' });
    await begin(page, 'openramp');
    await fill(page, { verifyEmailCode: '123456' });
    await fill(page, { ...PERSON, 'dateOfBirth-year': '2020' });
    await page.locator('[data-error=dateOfBirth]:not(:empty)').waitFor();
    await fill(page, { 'dateOfBirth-year': '1990' });
    await page.locator('[name=verifyPhoneCode]').waitFor();
    await fill(page, { verifyPhoneCode: '123456' });
    await page.locator('[data-option="Driving licence"]').click();
    for (const what of ['front', 'back', 'face']) {
      await page.locator('#screen[data-step=file] label', { hasText: what }).waitFor();
      await page.locator('input[type=file]').setInputFiles(PICTURE);
      if (what === 'face') await picture(page, 'selfie');
      await page.locator('#continue').click();
    }
    await payByCard((await framed(page)) as unknown as Page);
    await isCompleted(page);
    const types = new Set((await stepsOf(page)).map(({ type }) => type));
    expect([...types]).toEqual(['form', 'pickOne', 'file', 'iframe', 'wait', 'completed']);
  });

  it('takes files as texts too, and asks for a bank transfer', async ({ person }) => {
    const page = await shop(person, { amount: '1500', method: 'sepaBankTransfer', files: 'POST' });
    await begin(page, 'openramp');
    await fill(page, { verifyEmailCode: '123456' });
    await fill(page, PERSON);
    await page.locator('[name=verifyPhoneCode]').waitFor();
    await fill(page, { verifyPhoneCode: '123456' });
    await page.locator('[data-option=Passport]').click();
    for (const what of ['passport', 'face']) {
      await page.locator('#screen[data-step=file] label', { hasText: what }).waitFor();
      await page.locator('input[type=file]').setInputFiles(PICTURE);
      await page.locator('#continue').click();
    }
    await sees(page, 'requestBankTransaction');
    for (const part of ['iban', 'bic', 'accountName', 'reference']) {
      expect(await page.locator(`[data-bank=${part}]`).innerText()).not.toBe('');
    }
    expect(await heardBy(page)).toEqual([]);
  });

  it('lets a card be tried again after the bank said no', async ({ person }) => {
    const page = await shop(person);
    await begin(page, 'openramp');
    await fill(page, { verifyEmailCode: '123456' });
    await payByCard((await framed(page)) as unknown as Page, CARDS.secure);
    const popup = await redirect(page);
    await press(popup, 'secure', 'refuse');
    const again = (await framed(page)) as unknown as Page;
    await press(again, 'declined', 'retry');
    await payByCard(again);
    await isCompleted(page);
  });

  it.for([
    ['refuses somebody', 'Deny'],
    ['lets an order expire', '999999'],
  ] as const)('%s, and the client is told that it is over', async ([, word], { person }) => {
    const page = await shop(person, { amount: '500' });
    await begin(page, 'openramp');
    await fill(page, { verifyEmailCode: word === 'Deny' ? '123456' : word });
    if (word === 'Deny') await fill(page, { ...PERSON, firstName: word });
    await page.locator('#fatal:not(:empty)').waitFor();
    await sees(page, 'over');
  });

  it('is too late after a while', async ({ person }) => {
    const page = await shop(person);
    await begin(page, 'openramp');
    await page.locator('[name=verifyEmailCode]').waitFor();
    const step = (await stepsOf(page)).at(-1);
    await world.run(
      sql`update flows set expires_at = now() - interval '1 second' where transaction_id = ${step.txId}`,
    );
    await fill(page, { verifyEmailCode: '123456' });
    await page.locator('#fatal:not(:empty)').waitFor();
  });
});

describe.concurrent('a stranger', LIMIT, () => {
  /** A client that has come as far as a page in a frame, and the address of that page. */
  async function meet(gateway: string): Promise<{ page: Page; person: Person; url: string }> {
    const person = await arrive(browser);
    const page = await shop(person);
    await begin(page, gateway);
    if (gateway === 'openramp') await fill(page, { verifyEmailCode: '123456' });
    await framed(page);
    const { url } = (await stepsOf(page)).at(-1);
    return { page, person, url };
  }

  /** A stranger's page that tries to frame it. */
  async function look(person: Person, url: string): Promise<Page> {
    const page = await person.context.newPage();
    const refused = person.context.waitForEvent('console', {
      predicate: message => message.text().includes('frame-ancestors'),
    });
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(url)}`);
    await refused;
    return page;
  }

  async function open(person: Person, page: Page): Promise<Page> {
    const [popup] = await Promise.all([person.context.waitForEvent('page'), page.locator('#pop').click()]);
    return popup;
  }

  test('cannot frame a step’s page, nor hear of it in a window', async () => {
    const { page, person, url } = await meet('moonpay');
    const other = await look(person, url);
    const popup = await open(person, other);
    await popup.locator('html.live').waitFor();
    const closed = popup.waitForEvent('close');
    await other.evaluate(`for (const data of [{ type: 'completed' }, { type: 'cloverleaf:returned' }, 'x'])
      window.other.postMessage(data, '*')`);
    const provider = await goOn(await payFrame(page));
    await signIn(provider, ['identity']);
    await payByCard(provider);
    await isCompleted(page);
    await closed;
    expect(await other.evaluate('heard')).toEqual([]);
    await person.leave();
  });

  test('cannot frame the page a provider leads back to, nor hear of it in a window', async () => {
    const { page, person } = await meet('openramp');
    const returned = person.context.waitForEvent('response', {
      predicate: response => response.url().includes('/return/'),
    });
    await payByCard((await framed(page)) as unknown as Page);
    const returnUrl = (await returned).url();
    await isCompleted(page);
    const other = await look(person, returnUrl);
    const popup = await open(person, other);
    if (!popup.isClosed()) await popup.waitForEvent('close');
    expect(await other.evaluate('heard')).toEqual([]);
    // Whoever comes there alone is shown a way on.
    const alone = await person.context.newPage();
    await alone.goto(returnUrl);
    expect(await shown(alone, 'h1')).toBe('You are back');
    expect(await alone.locator('a').allInnerTexts()).toEqual([
      'Show my order',
      `Back to ${new URL(client.url).host}`,
    ]);
    await picture(alone, 'alone');
    await person.leave();
  });
});

describe('what is left', () => {
  test('holds nobody’s answers: neither the log nor any address', () => {
    const said = world.service.logged();
    for (const secret of [WALLET, 'jane.doe', '15112345678', 'Main Street 1']) {
      expect(said).not.toContain(secret);
    }
  });
});
