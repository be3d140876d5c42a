/** The widget in a real browser against the real service with its stand-ins: people at it, and pictures of what they see. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Frame, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import type { ProviderId } from '../../src/domain/words.ts';
import { startTestService, type TestService } from '../service.ts';
import { openBrowser } from './chromium.ts';

/** To be looked at; its path is printed. */
const SHOTS = join(import.meta.dirname, '..', '..', 'test-output', 'widget');
/** Long enough for a machine that has much else to do. */
const PATIENCE_MS = 45_000;
/** Hung providers cost so much and no more. */
const DEADLINE_MS = 3_000;

export const LIMIT = { timeout: 120_000 };

export const PHONE = { width: 390, height: 844 };
export const DESKTOP = { width: 1280, height: 900 };
export const BITCOIN = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

export interface WidgetWorld {
  service: TestService;
  browser: Browser;
  /** A page of its own, in a browser of its own. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** A page that shows the widget, once it can be used. */
  open(query?: Record<string, string>, options?: BrowserContextOptions): Promise<Page>;
  fault(kind: Fault, ...providers: string[]): void;
  /** Ends all faults and closes all pages; nobody's browser may have had anything to complain of. */
  rest(): Promise<void>;
  /** Complaints that a test expects, by a part of their text. */
  expectComplaint(part: string): void;
  close(): Promise<void>;
}

type Fault = Parameters<TestService['sandbox']['fault']>[1]['kind'];

export let world: WidgetWorld;

/** Begins a file with a service and a browser; each of its tests leaves neither faults nor complaints behind. */
export function setWidgetWorld(): void {
  beforeAll(async () => {
    world = await startWidgetWorld();
  });
  afterEach(() => world.rest());
  afterAll(async () => {
    process.stdout.write(`pictures of the widget: ${SHOTS}\n`);
    await world?.close();
  });
}

async function startWidgetWorld(): Promise<WidgetWorld> {
  const [service, browser] = await Promise.all([
    startTestService({ QUOTE_DEADLINE_MS: String(DEADLINE_MS) }),
    openBrowser(),
  ]);
  const complaints: string[] = [];
  let expected: string[] = [];
  let faulty: string[] = [];

  async function newPage(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ viewport: PHONE, reducedMotion: 'reduce', ...options });
    context.setDefaultTimeout(PATIENCE_MS);
    context.on('console', message => {
      // Our own return page in our own frame: the browser warns of what we know.
      if (message.text().includes('can escape its sandboxing')) return;
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    context.on('weberror', problem => complaints.push(problem.error().message));
    return context.newPage();
  }

  return {
    service,
    browser,
    newPage,
    async open(query = {}, options = {}) {
      const page = await newPage(options);
      const parameters = new URLSearchParams({ apiKey: service.account.publicKey, ...query });
      await page.goto(`${service.url}/widget?${parameters}`);
      await page.locator('#widget .card:not(.sketch), #widget .order').waitFor();
      return page;
    },
    fault(kind, ...providers) {
      for (const provider of providers) service.sandbox.fault(provider as ProviderId, { kind, ms: 1_000 });
      faulty.push(...providers);
    },
    expectComplaint: part => void expected.push(part),
    async rest() {
      for (const provider of faulty) service.sandbox.fault(provider as ProviderId, { kind: 'none', ms: 0 });
      faulty = [];
      await Promise.all(browser.contexts().map(context => context.close()));
      const surprising = complaints.splice(0).filter(text => !expected.some(part => text.includes(part)));
      expected = [];
      expect(surprising).toEqual([]);
    },
    async close() {
      await browser.close();
      await service.close();
    },
  };
}

/** The list of offers once the round is complete. */
export async function settled(page: Page | Frame): Promise<void> {
  await page.locator('.offers[aria-busy=false]').waitFor();
}

export function offerOf(page: Page | Frame, provider: string): Locator {
  return page.locator(`[data-ramp=${provider}]`);
}

/** Chooses a provider, wherever in the list it is, and goes on to the wallet. */
export async function choose(page: Page | Frame, provider: string): Promise<void> {
  await settled(page);
  const more = page.locator('.more');
  if (!(await offerOf(page, provider).isVisible()) && (await more.isVisible())) await more.click();
  await offerOf(page, provider).click();
  await page.locator(`[data-ramp=${provider}][data-chosen=true]`).waitFor();
  await page.locator('.card > .primary').click();
  await page.locator('.review').waitFor();
}

/** Gives the address, and makes the order; the page of the order once it is live. */
export async function order(page: Page | Frame, address: string): Promise<Frame> {
  if (address !== '') {
    await page.locator('#address').fill(address);
    await page.locator('#address-note.good').waitFor();
  }
  await page.locator('.card > .primary').click();
  return payFrame(page);
}

export async function payFrame(page: Page | Frame): Promise<Frame> {
  const frame = (await (await page.waitForSelector('.order iframe')).contentFrame()) as Frame;
  await frame.waitForSelector('html.live');
  return frame;
}

export function reachesStatus(page: Page | Frame, status: string): Promise<void> {
  return page.locator(`.order[data-status=${status}]`).waitFor();
}

/** What has the focus: its id, or the first of its classes, or its element. */
export function focused(page: Page): Promise<string> {
  const script =
    '(one => one.id || one.classList[0] || one.closest("[data-ramp]")?.dataset.ramp || one.localName)(document.activeElement)';
  return page.evaluate(script) as Promise<string>;
}

/** A picture for a person to look at. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Nothing may keep anybody out; what providers show in their own frames is theirs. */
export async function isAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).exclude('.order iframe').analyze();
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const found = grave.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`,
  );
  expect(found).toEqual([]);
}

/** Nothing reaches beyond the side of the screen. */
export async function fitsWidth(page: Page): Promise<void> {
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
}
