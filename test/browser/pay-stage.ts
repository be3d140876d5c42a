/** A stage for the pay page: one browser, one provider and one service for a file, and a new person for each test. */
import type { Browser, BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import type { PayView } from '../../src/app/pay.ts';
import { openBrowser } from './chromium.ts';
import {
  createPayWorld,
  exampleView,
  type PayWorld,
  providerPage,
  type Site,
  startSite,
} from './pay-world.ts';

export const HASH = 'f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16';
export const DEPOSIT = { address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy' };
export const BANK = {
  account: {
    iban: 'DE02120300000000202051',
    bic: 'BYLADEM1001',
    bankName: 'Example Bank',
    bankAddress: 'Main Street 1, 10115 Berlin, Germany',
    accountName: 'Ramp Payments Ltd',
    accountAddress: 'Harbour Road 2, Dublin, Ireland',
  },
  reference: 'CL-4711-0815',
  hint: 'Transfer from an account in your own name.',
};
export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1280, height: 800 };

export interface PayStage {
  readonly provider: Site;
  readonly context: BrowserContext;
  /** The service; whoever closes it puts another in its place. */
  world: PayWorld;
  /** What the browser had to say about our pages. */
  readonly complaints: string[];
  /** Begins anew with an empty browser. */
  renew(options: BrowserContextOptions): Promise<void>;
  /** Makes an order, and the token of its page. */
  order(change?: Partial<PayView>, example?: typeof exampleView): string;
  /** A page with nothing on it yet. */
  newPage(): Promise<Page>;
  visit(token: string, query?: string): Promise<Page>;
  /** A page whose time stands still, but for what `page.clock` is told. */
  visitStill(token: string): Promise<Page>;
  /** How often the state of an order was asked for. */
  asked(token: string): number;
}

/** To be called once, where a test file begins. */
export function setStage(): PayStage {
  let browser: Browser;
  let provider: Site;
  let context: BrowserContext;
  let world: PayWorld;
  let serial = 0;
  const complaints: string[] = [];

  beforeAll(async () => {
    [browser, provider, world] = await Promise.all([
      openBrowser(),
      startSite(providerPage),
      createPayWorld(),
    ]);
    await world.listen();
  });
  afterAll(async () => {
    await browser?.close();
    await Promise.all([provider?.close(), world?.close()]);
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: PHONE });
  });
  afterEach(async () => {
    await context?.close();
    world.pay.fault = undefined;
    Object.assign(world, { away: false, streamless: false, silent: false });
    for (const list of [world.asked, world.pay.openedFrom, provider.asked, complaints]) list.length = 0;
  });

  const stage: PayStage = {
    get provider() {
      return provider;
    },
    get context() {
      return context;
    },
    get world() {
      return world;
    },
    set world(other) {
      world = other;
    },
    complaints,
    async renew(options) {
      await context.close();
      context = await browser.newContext({ viewport: PHONE, ...options });
    },
    order(change = {}, example = exampleView) {
      const token = `token-${++serial}`;
      world.pay.put(token, example({ pageOrigin: provider.url, ...change }));
      return token;
    },
    async newPage() {
      const page = await context.newPage();
      listen(page, complaints);
      return page;
    },
    async visit(token, query = '') {
      const page = await stage.newPage();
      await page.goto(`${world.url}/pay/${token}${query}`);
      return page;
    },
    async visitStill(token) {
      const page = await stage.newPage();
      const now = Date.now();
      await page.clock.install({ time: now });
      // Later than now, which passes until the clock stands still.
      await page.clock.pauseAt(now + 60_000);
      await page.goto(`${world.url}/pay/${token}`);
      return page;
    },
    asked: token => world.asked.filter(({ path }) => path.startsWith(`/pay/${token}/state`)).length,
  };
  return stage;
}

function listen(page: Page, complaints: string[]): void {
  page.on('console', message => {
    // Our own return page in our own frame: the browser warns of what we know.
    if (message.text().includes('can escape its sandboxing')) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', error => complaints.push(error.message));
}

export const isShown = (page: Page | Frame, id: string) => page.locator(`#${id}`).isVisible();

/** What an element says. */
export const read = (page: Page | Frame, selector: string) => page.locator(selector).innerText();

export const title = (page: Page | Frame) => read(page, '#status-title');

export async function eventually(check: () => Promise<unknown> | unknown, withinMs = 20_000): Promise<void> {
  await expect.poll(check, { timeout: withinMs, interval: 25 }).toBeTruthy();
}

const STEP_MS = 500;

/**
 * Has the time of a page that stands still pass until something is so; how much of it has passed. By steps, for a page
 * begins to wait only when it has dealt with what came before.
 */
export async function passUntil(page: Page, check: () => Promise<unknown> | unknown): Promise<number> {
  let passed = 0;
  await eventually(async () => {
    await page.clock.runFor(STEP_MS);
    passed += STEP_MS;
    return check();
  });
  return passed;
}

export function whenTitled(page: Page | Frame, text: string): Promise<void> {
  return eventually(async () => (await title(page)) === text);
}

/** Clicks through to the provider's page in our frame. */
export async function openFrame(page: Page | Frame): Promise<Frame> {
  await page.click('#open-button');
  const element = await page.waitForSelector('#frame iframe');
  const frame = (await element.contentFrame()) as Frame;
  await frame.waitForSelector('#done');
  return frame;
}
