/** A person with a browser of their own: goes to our pay page, and from there through a provider's pages. */
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Frame, FrameLocator, Locator, Page } from 'playwright-core';
import { decodeQR } from 'qr/decode.js';

/** Pictures of how orders end, to be looked at. */
const SHOTS = join(tmpdir(), 'cloverleaf-purchase');
/** Long enough for a machine that has much else to do. */
const PATIENCE_MS = 45_000;
const SIZE = { width: 1100, height: 900 };

export const CARDS = {
  good: '5555 5555 5555 4444',
  secure: '4242 4242 4242 4242',
  declined: '4000 0000 0000 0002',
};

export interface Person {
  context: BrowserContext;
  /** Errors and warnings of every page. */
  complaints: string[];
  /** Hosts that were asked for something. */
  hosts: Set<string>;
  /** Hosts of shops they are at. */
  shops: Set<string>;
  visit(url: string): Promise<Page>;
  leave(): Promise<void>;
}

export async function arrive(browser: Browser): Promise<Person> {
  const context = await browser.newContext({ viewport: SIZE, reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const complaints: string[] = [];
  const hosts = new Set<string>();
  context.on('console', message => {
    // Our own return page in our own frame: the browser warns of what we know.
    if (message.text().includes('can escape its sandboxing')) return;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  context.on('weberror', problem => complaints.push(problem.error().message));
  context.on('request', request => {
    const { protocol, host } = new URL(request.url());
    if (/^(https?|wss?):$/.test(protocol)) hosts.add(host);
  });
  return {
    context,
    complaints,
    hosts,
    shops: new Set(),
    async visit(url) {
      const page = await context.newPage();
      await page.goto(url);
      await page.locator('html.live').waitFor();
      return page;
    },
    leave: () => context.close(),
  };
}

// Our page

/** Our pay page, by itself or in a shop's frame. */
export type PayPage = Page | Frame;

/** Waits until the page shows the status. */
export function reaches(page: PayPage, status: string): Promise<void> {
  return page.locator(`#pay[data-status=${status}]`).waitFor();
}

export function titled(page: PayPage, text: string): Promise<void> {
  return page.locator('#status-title', { hasText: new RegExp(`^${text}$`) }).waitFor();
}

/** Waits until the element is seen, and reads it. */
export async function shown(page: PayPage, selector: string): Promise<string> {
  const locator = page.locator(selector);
  await locator.waitFor();
  return locator.innerText();
}

/** The title of an end whose picture is taken. */
export async function keepPicture(page: Page, name: string): Promise<void> {
  await mkdir(SHOTS, { recursive: true });
  await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true });
}

/** Reads the picture of the address to send to as a wallet's camera would. One channel is enough, and a text travels faster than numbers. */
export async function scan(page: Page): Promise<string> {
  const size = 246;
  const grey = (await page.evaluate(`(async () => {
    const image = document.getElementById('deposit-picture');
    await image.decode();
    const canvas = new OffscreenCanvas(${size}, ${size});
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, ${size}, ${size});
    context.drawImage(image, 0, 0, ${size}, ${size});
    const { data } = context.getImageData(0, 0, ${size}, ${size});
    return Array.from({ length: data.length / 4 }, (_, at) => (data[at * 4] > 127 ? '1' : '0')).join('');
  })()`)) as string;
  const data = Uint8Array.from(
    Array.from(grey).flatMap(bit => [...Array(3).fill(bit === '1' ? 255 : 0), 255]),
  );
  return decodeQR({ width: size, height: size, data });
}

// The provider's pages

/** Where a provider's pages are: our frame, or a window. */
export type Provider = FrameLocator | Page;

/** Goes on to the provider, in the frame or the window that our page opens. */
export async function goOn(page: PayPage): Promise<Provider> {
  const framed = await page.evaluate('JSON.parse(document.getElementById("pay").dataset.setup).framed');
  if (framed) {
    await page.locator('#open-button').click();
    return page.frameLocator('#frame iframe');
  }
  const context = ('context' in page ? page : page.page()).context();
  const [popup] = await Promise.all([context.waitForEvent('page'), page.locator('#open-button').click()]);
  return popup;
}

/** The control of a stage, once the person is on it. */
export function control(provider: Provider, stage: string, action: string): Locator {
  return provider.locator(`main[data-stage=${stage}] [data-action=${action}]`);
}

export async function press(provider: Provider, stage: string, action: string): Promise<void> {
  await control(provider, stage, action).click();
}

async function fill(
  provider: Provider,
  stage: string,
  fields: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [name, value] of Object.entries(fields)) {
    await provider.locator(`main[data-stage=${stage}] [name=${name}]`).fill(value);
  }
}

export async function giveEmail(provider: Provider): Promise<void> {
  await fill(provider, 'email', { email: 'jane.doe@example.com' });
  await press(provider, 'email', 'email');
}

export async function giveCode(provider: Provider): Promise<void> {
  await fill(provider, 'code', { code: '123456' });
  await press(provider, 'code', 'code');
}

/** Signs in, and says who they are as far as they are asked. */
export async function signIn(provider: Provider, asked: readonly ('identity' | 'document')[]): Promise<void> {
  await giveEmail(provider);
  await giveCode(provider);
  for (const stage of asked) await press(provider, stage, stage);
}

export async function giveName(provider: Provider, last: string): Promise<void> {
  await fill(provider, 'identity', { last });
  await press(provider, 'identity', 'identity');
}

export async function payByCard(provider: Provider, number = CARDS.good): Promise<void> {
  await fill(provider, 'card', { number });
  await press(provider, 'card', 'card');
}

/** Has the sandbox do all the rest, from whatever page the person is on. */
export async function completeNow(provider: Provider): Promise<void> {
  await provider.locator('.tools [data-action=complete]').click();
}
