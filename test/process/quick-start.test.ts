/** The documents followed word for word, from a fresh clone: the quick start to a completed order, then all others. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Frame, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playOrder } from '../../src/cli/sandbox-order.ts';
import { Fault } from '../../src/domain/fault.ts';
import { openBrowser } from '../browser/chromium.ts';
import { blocksOf, documents, readDocument, WRITTEN_PORT, WRITTEN_URL } from '../docs.ts';
import { freePorts } from './command.ts';
import { makeClone, removeClone } from './quick-start-clone.ts';
import { createReader, type Reader, type Surroundings } from './quick-start-reader.ts';

const QUICK_START = 'docs/quick-start.md';
const PATIENCE_MS = 45_000;

let surroundings: Surroundings;
let reader: Reader;
let browser: Browser;

beforeAll(async () => {
  const [port, hookPort] = [await freePorts(), await freePorts()];
  surroundings = {
    folder: makeClone(),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      PORT: port,
      // Other tests keep the cores busy: a provider on the same machine may take its time.
      QUOTE_DEADLINE_MS: '10000',
      WEBHOOK_ALLOWED_HOSTS: `127.0.0.1:${hookPort}`,
      // As a receiver has it that was given one.
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    },
    instead: { [WRITTEN_URL]: `http://127.0.0.1:${port}`, [WRITTEN_PORT]: hookPort },
  };
  reader = createReader(surroundings);
  browser = await openBrowser();
});

afterAll(async () => {
  await browser?.close();
  await reader?.leave();
  if (surroundings) removeClone(surroundings.folder);
});

interface Act {
  type?: string;
  into?: string;
  press: string;
}

/** What a numbered list has the person do: texts to type into fields, and buttons to press. */
function actsOf(text: string): Act[] {
  return [...text.matchAll(/^\d\. (.*(?:\n {3}.*)*)/gm)].flatMap(([, item = '']) => {
    const press = /[Pp]ress \*\*(.+?)\*\*/.exec(item)?.[1];
    const [, type, into] = /`([^`]+)`,? into \*\*(.+?)\*\*/.exec(item) ?? [];
    return press === undefined ? [] : [{ press, ...(type && into && { type, into }) }];
  });
}

/** Does it wherever on the page it can be done: in the page itself, or in the frame that it shows. */
async function doAct(page: Page, { type = '', into, press }: Act): Promise<void> {
  if (into !== undefined) {
    const field = await find(page, frame => frame.getByLabel(into, { exact: true }));
    await field.fill(type);
  }
  await (await find(page, frame => frame.getByRole('button', { name: press, exact: true }))).click();
}

async function find(page: Page, within: (frame: Frame) => Locator): Promise<Locator> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    for (const place of page.frames().map(within))
      if (await place.isVisible().catch(() => false)) return place;
    await page.waitForTimeout(50);
  }
  throw new Error(`there is no ${within(page.mainFrame())}`);
}

describe('the quick start', () => {
  it('ends with a completed order', { timeout: 240_000 }, async () => {
    const text = readDocument(QUICK_START);
    const person = text.indexOf('## 4.');
    const all = blocksOf(QUICK_START);
    const before = all.filter(({ at }) => at < person);
    await reader.follow(before);
    const [url = ''] = reader.printed().match(/http:\S+\/pay\/\S+/) ?? [];
    const acts = actsOf(text.slice(person, text.indexOf('## 5.')));
    expect(acts.length).toBeGreaterThan(3);
    const page = await browser.newPage({ locale: 'en-GB' });
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    for (const act of acts) await doAct(page, act);
    await page.getByRole('heading', { name: 'Completed', exact: true }).waitFor();
    await reader.follow(all.slice(before.length));
  });
});

describe('the person at a stand-in, played', () => {
  /** An order at a provider; the address of its page. */
  async function makeOrder(onramp: string): Promise<string> {
    const url = surroundings.instead[WRITTEN_URL] ?? '';
    const account = JSON.parse(readFileSync(join(surroundings.folder, 'data/demo-account.json'), 'utf8'));
    const response = await fetch(`${url}/checkout/intent`, {
      method: 'POST',
      headers: { authorization: account.publicKey, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ onramp, source: 'eur', destination: 'btc', amount: 100 },
        wallet: { address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' },
      }),
    });
    const { message } = (await response.json()) as { message: { transactionInformation: { url: string } } };
    return message.transactionInformation.url;
  }

  it('also fails, and finds nothing more to do then', async () => {
    const heard: string[] = [];
    const order = await makeOrder('moonpay');
    expect(await playOrder(order, 'fail', status => heard.push(status))).toBe('failed');
    expect([heard[0], heard.at(-1)]).toEqual(['new', 'failed']);
    await expect(playOrder(order, 'complete', () => {})).rejects.toThrow(Fault);
  });

  it('gets back what it paid for what it had received', async () => {
    const heard: string[] = [];
    const end = playOrder(await makeOrder('transak'), 'refund', status => heard.push(status));
    expect(await end).toBe('refunded');
    expect(heard.slice(-2)).toEqual(['completed', 'refunded']);
  });

  it('says what it was not given, and where nobody answers', async () => {
    await expect(playOrder('nonsense', 'complete', () => {})).rejects.toThrow(/^name the url/);
    await expect(playOrder('http://127.0.0.1:1/pay/x', 'complete', () => {})).rejects.toThrow(
      /^nothing answers at/,
    );
  });
});

describe('every block of', () => {
  // The client's own lines are run where its examples are.
  const done = [QUICK_START, 'client/README.md'];
  const others = documents().filter(path => !done.includes(path) && blocksOf(path).some(isCommand));

  it.each(others)('%s does what it says', async path => {
    const own = createReader(surroundings);
    try {
      await own.follow(blocksOf(path));
    } finally {
      await own.leave();
    }
  });
});

function isCommand({ language, unrun }: ReturnType<typeof blocksOf>[number]): boolean {
  return (language === 'sh' || language === 'js') && unrun === undefined;
}
