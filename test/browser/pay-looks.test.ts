/** How the pay page looks and speaks in a real browser: every state, in every scheme, on any device, in any language. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { PayView, Theme } from '../../src/app/pay.ts';
import { LANGUAGES, type Language } from '../../src/http/languages.ts';
import { WORDS } from '../../src/http/pay/texts.ts';
import {
  BANK,
  DEPOSIT,
  DESK,
  eventually,
  HASH,
  isShown,
  openFrame,
  PHONE,
  read,
  setStage,
  title,
  whenTitled,
} from './pay-stage.ts';
import { exampleSale, exampleView } from './pay-world.ts';

const stage = setStage();
const isEstimate = true;

/** Every state a person can meet. */
const STATES: Record<string, () => PayView> = {
  ready: () => exampleView({ walletMemo: '10293847', isEstimate }),
  waiting: () => exampleView({ opened: true, isEstimate }),
  pending: () => exampleView({ opened: true, status: 'pending', isEstimate }),
  paid: () => exampleView({ opened: true, status: 'paid', isEstimate }),
  completed: () => exampleView({ status: 'completed', hash: HASH, returnTo: 'https://shop.example/thanks' }),
  failed: () =>
    exampleView({ status: 'failed', reason: 'card_declined', returnTo: 'https://shop.example/cart' }),
  expired: () => exampleView({ opened: true, status: 'expired', reason: 'The provider knows of no order' }),
  refunded: () => exampleView({ status: 'refunded', returnTo: 'https://shop.example/cart' }),
  returned: () => exampleSale({ opened: true, status: 'refunded', hash: HASH }),
  lapsed: () => exampleView({ expiresAt: 1 }),
  transfer: () => exampleView({ opened: true, status: 'pending', bank: BANK, isEstimate }),
  selling: () => exampleSale({ isEstimate }),
  sending: () => exampleSale({ opened: true, deposit: { ...DEPOSIT, memo: '10293847' }, isEstimate }),
};

const ALL = Object.keys(STATES);
const MIDNIGHT: Theme = {
  isDark: false,
  themeName: 'midnight',
  primaryColor: '#ffcc00',
  secondaryColor: '#3a2fb0',
  primaryTextColor: '#141519',
  secondaryTextColor: '#6b6f80',
  cardColor: '#1b1464',
  borderRadius: '4px',
};

describe.each<[name: string, language: Language, names: string[], theme: Theme]>([
  ['light', 'en', ALL, { isDark: false }],
  ['dark', 'de', ALL, { isDark: true }],
  ['from right to left', 'ar', ALL, { isDark: false }],
  ['themed', 'fr', ['ready', 'paid', 'failed', 'sending'], MIDNIGHT],
])('%s', (_name, language, names, theme) => {
  it('can be used by everybody in every state, on a phone and on a desk', async () => {
    // Two at a time: each has a process of its own.
    const look = async (viewport: typeof PHONE, some: string[]) => {
      const page = await stage.newPage();
      await page.setViewportSize(viewport);
      for (const name of some) {
        const token = stage.order({ ...STATES[name]?.(), pageOrigin: stage.provider.url, theme });
        await page.goto(`${stage.world.url}/pay/${token}?lang=${language}`);
        expect(await faultsOf(page), name).toEqual([]);
      }
      const token = stage.order({ theme, method: 'googlepay' });
      await page.goto(`${stage.world.url}/pay/${token}?lang=${language}`);
      await openFrame(page);
      await whenTitled(page, WORDS[language].sayings.buy.new.title);
      expect(await faultsOf(page), 'framed').toEqual([]);
    };
    const isEven = (_name: string, at: number) => at % 2 === 0;
    await Promise.all([
      look(PHONE, names.filter(isEven)),
      look(
        DESK,
        names.filter((name, at) => !isEven(name, at)),
      ),
    ]);
    expect(stage.complaints).toEqual([]);
  }, 240_000);
});

/** In one frame alone: what the provider shows is its own affair. */
async function faultsOf(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).exclude('iframe').analyze();
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes.map(({ html }) => html)}`);
}

describe('layout', () => {
  it.each([500, 800, 1_400])('has both cards begin at one height, on a desk of %i', async height => {
    const page = await stage.visit(stage.order());
    await page.setViewportSize({ width: 1_280, height });
    await page.locator('#open-button').scrollIntoViewIfNeeded();
    await openFrame(page);
    await whenTitled(page, 'Waiting for payment');
    const tops = await page.evaluate(
      "[...document.querySelectorAll('.card')].map(card => card.getBoundingClientRect().top)",
    );
    expect(tops).toEqual([16, 16]);
  });

  it('shows the whole of the provider’s page on a phone, and the way out of the frame', async () => {
    const page = await stage.visit(stage.order({ method: 'googlepay' }));
    await openFrame(page);
    await whenTitled(page, 'Waiting for payment');
    for (const selector of ['#wallet-pay', 'iframe', '#elsewhere']) {
      const box = await page.locator(selector).boundingBox();
      expect(box?.y, selector).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? 0), selector).toBeLessThanOrEqual(PHONE.height);
    }
    expect((await page.locator('iframe').boundingBox())?.width).toBeGreaterThan(360);
  });

  it('has the provider’s page begin at the top of a phone, also when the order’s steps come after it', async () => {
    stage.world.streamless = true;
    const page = await stage.visit(stage.order());
    await page.route('**/state*', async route => {
      await new Promise(resolve => setTimeout(resolve, 500));
      await route.continue();
    });
    await openFrame(page);
    await whenTitled(page, 'Waiting for payment');
    expect(await isShown(page, 'steps')).toBe(true);
    // As far up as there is page below it.
    await expect.poll(async () => (await page.locator('#stage').boundingBox())?.y).toBeLessThan(40);
  });

  it('tells of a window where it is seen, with a way to open it again', async () => {
    const page = await stage.visit(stage.order({ opens: 'redirect' }));
    await page.setViewportSize({ width: 1_280, height: 900 });
    const open = (selector: string) =>
      Promise.all([stage.context.waitForEvent('page'), page.click(selector)]);
    const [popup] = await open('#open-button');
    await popup.waitForSelector('#done');
    await whenTitled(page, 'Waiting for payment');
    expect(await read(page, '#status #stage-note')).toContain('open in another window');
    const box = await page.locator('#reopen').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(900);
    expect(await faultsOf(page)).toEqual([]);
    const [second] = await open('#reopen');
    await second.waitForSelector('#done');
    expect(stage.world.pay.openedFrom).toHaveLength(2);
    await second.close();
    await eventually(() => isShown(page, 'open'));
    expect(await isShown(page, 'reopen')).toBe(false);
  });

  it('has the way on in sight on a phone, however much there is to read', async () => {
    const page = await stage.visit(stage.order({ ...STATES.ready?.(), pageOrigin: stage.provider.url }));
    const box = await page.locator('#open-button').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.height);
    expect(await page.evaluate('document.documentElement.scrollHeight')).toBeGreaterThan(PHONE.height);
  });

  it('fits a narrow phone, with the longest texts', async () => {
    const page = await stage.newPage();
    await page.setViewportSize({ width: 320, height: 568 });
    const longest = {
      pageOrigin: stage.provider.url,
      provider: { id: 'x', name: 'Averyverylongprovidernamewithoutanyspaces' },
      walletAddress: 'addr1'.padEnd(120, 'qz8k'),
      reason: 'x'.repeat(200),
    };
    const pages = [
      ...ALL.map(name => [name, 'de'] as const),
      ...LANGUAGES.map(language => ['sending', language] as const),
    ];
    for (const [name, language] of pages) {
      await page.goto(
        `${stage.world.url}/pay/${stage.order({ ...STATES[name]?.(), ...longest })}?lang=${language}`,
      );
      expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${language}`).toBe(320);
    }
  });

  it('can be used from the keyboard, with focus to be seen', async () => {
    const page = await stage.visit(stage.order());
    for (let at = 0; at < 20; at++) {
      await page.keyboard.press('Tab');
      if ((await page.evaluate('document.activeElement.id')) === 'open-button') break;
    }
    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    await page.keyboard.press('Enter');
    await page.waitForSelector('#frame iframe');
  });

  it('shows pages for what is not there', async () => {
    const page = await stage.visit('nobody');
    expect(await read(page, 'h1')).toBe('This link does not work');
    expect(await faultsOf(page)).toEqual([]);
  });
});

describe('a language', () => {
  it('that was asked for is spoken from the first look to the last', async () => {
    const token = stage.order({ isEstimate });
    const page = await stage.visit(token, '?lang=de');
    expect(await page.title()).toBe('BTC kaufen bei MoonPay');
    expect(await read(page, '[data-row=gets]')).toMatch(/^Sie erhalten\s+etwa 0,00163465 BTC$/);
    const copy = page.locator('#wallet ~ button');
    await copy.click();
    await eventually(async () => (await copy.innerText()) === 'Kopiert');
    await eventually(async () => (await copy.innerText()) === 'Kopieren');
    const frame = await openFrame(page);
    await whenTitled(page, 'Warten auf die Zahlung');
    await frame.click('#done');
    await eventually(async () =>
      (await read(page, '#stage-note')).startsWith('Sie sind von MoonPay zurück.'),
    );
    stage.world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Zahlung läuft');
    await page.reload();
    expect(await title(page)).toBe('Zahlung läuft');
    stage.world.pay.change(token, { status: 'failed', reason: 'card_declined' });
    await whenTitled(page, 'Der Kauf ist fehlgeschlagen');
    await page.click('#again-button');
    await page.waitForURL(`${stage.world.url}/pay/${token}-again?lang=de`);
    expect(await read(page, '#open-button')).toBe('Weiter zu MoonPay');
    expect(stage.complaints).toEqual([]);
  });

  it('that was asked for is still spoken to whoever comes back in the same window', async () => {
    const token = stage.order({ opens: 'redirect' });
    await stage.context.addInitScript('window.open = () => null');
    const page = await stage.visit(token, '?lang=es');
    await page.click('#open-button');
    await eventually(() => isShown(page, 'link'));
    expect(await read(page, '#stage-note')).toBe('Su navegador ha bloqueado la ventana nueva.');
    await page.click('#link');
    await page.click('#done');
    await page.waitForURL(`${stage.world.url}/pay/${token}`);
    expect(await read(page, '#open-button')).toBe('Abrir MoonPay otra vez');
  });

  it('is the browser’s own where none was asked for', async () => {
    await stage.renew({ locale: 'pt-BR' });
    const token = stage.order();
    const page = await stage.visit(token);
    expect(await title(page)).toBe('Confira os dados');
    stage.world.pay.change(token, { status: 'paid', opened: true });
    await whenTitled(page, 'Pago, moedas a caminho');
  });

  it('that runs from right to left turns the page, and leaves addresses and figures as they are', async () => {
    const token = stage.order({ opened: true, deposit: DEPOSIT, isEstimate }, exampleSale);
    const page = await stage.visit(token, '?lang=ar');
    const left = async (selector: string) => (await page.locator(selector).boundingBox())?.x ?? 0;
    expect(await left('header img')).toBeGreaterThan(await left('h1'));
    expect(await left('[data-row=pays] dt')).toBeGreaterThan(await left('[data-row=pays] dd'));
    expect(await left('[data-row=gets] small')).toBeGreaterThan(await left('[data-row=gets] span'));
    const first = '#deposit-address span:first-child';
    expect(await left(first)).toBeLessThan(await left('#deposit-address span:nth-of-type(2)'));
    expect(await read(page, '#deposit-address')).toBe(DEPOSIT.address);
    await page.evaluate("getSelection().selectAllChildren(document.getElementById('deposit-address'))");
    expect(await page.evaluate('getSelection().toString()')).toBe(DEPOSIT.address);
    // The number stands before its currency, as seen from the left, also in the middle of a sentence.
    const order = await page.evaluate(`(() => {
      const text = document.getElementById('status-lead').firstChild;
      const at = word => { const range = document.createRange(); const start = text.data.indexOf(word);
        range.setStart(text, start); range.setEnd(text, start + word.length); return range.getBoundingClientRect().x };
      return [at('0.05'), at('BTC')];
    })()`);
    expect(order).toEqual([...(order as number[])].sort((a, b) => a - b));
  });
});
