/** Orders on the pay page in a real browser: transfers, sales, and how they end. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/domain/fault.ts';
import {
  BANK,
  DEPOSIT,
  eventually,
  HASH,
  isShown,
  openFrame,
  passUntil,
  read,
  setStage,
  title,
  whenTitled,
} from './pay-stage.ts';
import { exampleSale } from './pay-world.ts';
import { scan } from './purchase-person.ts';

const stage = setStage();

describe('a bank transfer', () => {
  it('shows where the money goes as soon as that is known, to read and to copy', async () => {
    await stage.context.addInitScript(
      'window.copied = []; navigator.clipboard.writeText = async text => void copied.push(text)',
    );
    const token = stage.order({ opened: true });
    const page = await stage.visit(token);
    expect(await isShown(page, 'bank')).toBe(false);
    stage.world.pay.change(token, { bank: BANK });
    await whenTitled(page, 'Make the bank transfer');
    for (const isLater of [false, true]) {
      if (isLater) await page.reload();
      const shown = (part: string) => page.locator(`#bank-${part}`).innerText();
      expect(await shown('amount')).toBe('100');
      expect(await shown('iban')).toBe(BANK.account.iban);
      expect(await shown('bic')).toBe(BANK.account.bic);
      expect(await shown('accountName')).toBe(BANK.account.accountName);
      expect(await shown('bankAddress')).toBe(BANK.account.bankAddress);
      expect(await shown('reference')).toBe(BANK.reference);
      expect(await shown('hint')).toBe(BANK.hint);
      for (const [part, text] of [
        ['iban', BANK.account.iban],
        ['accountName', BANK.account.accountName],
        ['reference', BANK.reference],
      ] as const) {
        await page.locator(`#bank-${part}-part .copy`).click();
        expect(await page.evaluate('copied.at(-1)')).toBe(text);
      }
    }
    stage.world.pay.change(token, {
      bank: { ...BANK, account: { ...BANK.account, bic: '' }, reference: '' },
    });
    await eventually(async () => !(await isShown(page, 'bank-bic-part')));
    expect(await isShown(page, 'bank-warning')).toBe(false);
    stage.world.pay.change(token, { status: 'paid' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'bank')).toBe(false);
    expect(stage.complaints).toEqual([]);
  });
});

describe('a sale', () => {
  it('shows where to send the coins as soon as that is known, to read, to copy and to scan', async () => {
    const token = stage.order({ opened: true }, exampleSale);
    const page = await stage.visit(token);
    expect(await isShown(page, 'deposit')).toBe(false);
    stage.world.pay.change(token, { deposit: DEPOSIT });
    await whenTitled(page, 'Send your coins');
    expect(await read(page, '#deposit-address')).toBe(DEPOSIT.address);
    expect(await page.locator('#deposit .warning').first().innerText()).toContain(
      'Send only BTC, and only on Bitcoin',
    );
    expect(await isShown(page, 'deposit-memo-part')).toBe(false);

    for (const [id, text] of [
      ['deposit-address', DEPOSIT.address],
      ['deposit-amount', '0.05'],
      ['wallet', stage.world.pay.of(token).walletAddress],
    ] as const) {
      const button = page.locator(`#${id} ~ button`);
      await button.click();
      await eventually(async () => (await button.innerText()) === 'Copied');
      expect(await paste()).toBe(text);
      // A selection by hand gives the same.
      await page.evaluate(`getSelection().selectAllChildren(document.getElementById('${id}'))`);
      expect(await page.evaluate('getSelection().toString()')).toBe(text);
    }
    expect(await scan(page)).toBe(`bitcoin:${DEPOSIT.address}?amount=0.05`);

    stage.world.pay.change(token, { status: 'pending', hash: HASH });
    await whenTitled(page, 'Coins on the way');
    expect(await isShown(page, 'deposit')).toBe(false);
    expect(stage.complaints).toEqual([]);
  });

  it('copies where the clipboard is not ours to write', async () => {
    const token = stage.order({ opened: true, deposit: DEPOSIT }, exampleSale);
    await stage.context.addInitScript(
      'navigator.clipboard.writeText = () => Promise.reject(new Error("not allowed"))',
    );
    const page = await stage.visit(token);
    await page.locator('#deposit-address ~ button').click();
    await eventually(async () => (await read(page, '#deposit-address ~ button')) === 'Copied');
    expect(await paste()).toBe(DEPOSIT.address);
  });

  it('demands the memo', async () => {
    const page = await stage.visit(
      stage.order({ opened: true, deposit: { ...DEPOSIT, memo: '10293847' } }, exampleSale),
    );
    expect(await read(page, '#deposit-memo')).toBe('10293847');
    expect(await read(page, '#deposit-memo-part')).toContain('Without the memo');
    expect(await scan(page)).toBe(DEPOSIT.address);
  });

  /** What would be pasted elsewhere. */
  async function paste(): Promise<string> {
    const elsewhere = await stage.context.newPage();
    await elsewhere.setContent('<input>');
    await elsewhere.focus('input');
    await elsewhere.keyboard.press('Control+V');
    const text = await elsewhere.inputValue('input');
    await elsewhere.close();
    return text;
  }
});

describe('an order that came to nothing', () => {
  it('says so when its time is over, and starts again', async () => {
    const token = stage.order();
    const page = await stage.visitStill(token);
    expect(await isShown(page, 'again')).toBe(false);
    stage.world.pay.put(token, { ...stage.world.pay.of(token), expiresAt: Date.now() });
    await page.clock.fastForward(600_500);
    await whenTitled(page, 'The session has expired');
    expect(await isShown(page, 'open')).toBe(false);
    await page.click('#again-button');
    await page.waitForURL(`${stage.world.url}/pay/${token}-again`);
    expect(await read(page, '#open-button')).toBe('Continue with MoonPay');
    expect(stage.complaints).toEqual([]);
  });

  it('says why, takes the provider’s page away, and shows the ways on', async () => {
    const token = stage.order({ returnTo: 'https://shop.example/cart' });
    const page = await stage.visit(token);
    await openFrame(page);
    stage.world.pay.change(token, { status: 'failed', reason: 'card_declined' });
    await whenTitled(page, 'The purchase did not go through');
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await read(page, '#reason')).toBe('MoonPay says: Card declined');
    expect(await read(page, '#back')).toBe('Back to shop.example');
    expect(await page.locator('#back').getAttribute('target')).toBe('_top');
    expect(await isShown(page, 'again')).toBe(true);
    expect(await isShown(page, 'countdown')).toBe(false);
    expect(await page.locator('.amounts dt').allInnerTexts()).toEqual([
      'Was to be paid',
      'Was to be received',
    ]);
    expect(await read(page, '#wallet-label')).toBe('Was to go to this wallet');
    const colour = (selector: string) =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await colour('.amounts dd')).toBe(await colour('.amounts dt'));
  });

  it('takes nobody’s focus when our clock says what the page says already', async () => {
    const token = stage.order({ expiresAt: 1 });
    const page = await stage.visit(token);
    const text = () => page.locator('#pay').innerText();
    const before = await text();
    await page.focus('#again-button');
    const reason = 'The session ended before the provider’s page was opened';
    stage.world.pay.change(token, { status: 'expired', reason });
    await page.locator('#pay[data-status=expired]').waitFor();
    expect(await text()).toBe(before);
    expect(await page.evaluate('document.activeElement.id')).toBe('again-button');
    await page.reload();
    expect(await text()).toBe(before);
  });

  it.each(['expired', 'canceled', 'failed'] as const)(
    'may still complete when %s, which shows by itself: late money is real',
    async status => {
      const token = stage.order({ opened: true, status: 'pending' });
      const page = await stage.visit(token);
      stage.world.pay.change(token, { status });
      await eventually(() => isShown(page, 'again'));
      // Neither whoever stays nor whoever comes back is left behind.
      const other = await stage.visit(token);
      await eventually(() => stage.world.pay.followers() === 2);
      stage.world.pay.change(token, { status: 'completed', hash: HASH });
      for (const one of [page, other]) {
        await whenTitled(one, 'Completed');
        expect(await isShown(one, 'again')).toBe(false);
        expect(await one.locator('[data-row=gets] dt').innerText()).toBe('You received');
        expect(await one.locator('#pay.moot').count()).toBe(0);
      }
      await eventually(() => stage.world.pay.followers() === 0);
    },
  );

  it('is asked about every 15 seconds where there are no streams', async () => {
    stage.world.streamless = true;
    const token = stage.order({ opened: true, status: 'expired' });
    const asked = () => stage.asked(token);
    const page = await stage.visitStill(token);
    await eventually(() => asked() === 1);
    stage.world.pay.change(token, { status: 'completed', hash: HASH });
    expect(await passUntil(page, () => asked() === 2)).toBeGreaterThanOrEqual(15_000);
    await whenTitled(page, 'Completed');
    await page.clock.runFor(60_000);
    await page.waitForTimeout(300);
    expect(asked()).toBe(2);
  });
});

describe('an order that is done', () => {
  async function complete(): Promise<Page> {
    const token = stage.order({ opened: true, status: 'paid', returnTo: `${stage.provider.url}/thanks` });
    const page = await stage.visitStill(token);
    stage.world.pay.change(token, { status: 'completed', hash: HASH });
    await eventually(() => isShown(page, 'countdown'));
    return page;
  }

  it('leads back to the shop after a while that can be seen, and is told of once', async () => {
    const page = await complete();
    const announced = () => page.locator('#announcement').textContent();
    expect(await announced()).toMatch(/^Completed\. .+ Going back in 8 s\. Stay here$/);
    await page.clock.runFor(5_000);
    expect(await read(page, '#countdown-text')).toMatch(/^Going back in 3 s\.$/);
    expect(await announced()).toContain('Going back in 8 s.');
    await page.clock.runFor(3_000);
    await page.waitForURL(`${stage.provider.url}/thanks`);
    expect(stage.provider.asked.at(-1)?.referer).toBe(`${stage.world.url}/`);
  });

  it('stays when told to', async () => {
    const page = await complete();
    await page.click('#stay');
    expect(await isShown(page, 'countdown')).toBe(false);
    await page.clock.runFor(20_000);
    expect(page.url()).toContain('/pay/');
    expect(await isShown(page, 'back')).toBe(true);
  });
});

describe('without script', () => {
  it('shows everything, leads to the provider and back, and starts again', async () => {
    await stage.renew({ javaScriptEnabled: false });
    const token = stage.order();
    const page = await stage.visit(token);
    expect(await read(page, '#wallet')).toBe(stage.world.pay.of(token).walletAddress);
    expect(await page.locator('.copy').first().isVisible()).toBe(false);
    await page.click('#open-button');
    await page.waitForSelector('#done');
    expect(stage.provider.asked.map(({ referer }) => referer)).toEqual([`${stage.world.url}/`]);
    await page.click('#done');
    await page.click('#go-on');
    expect(page.url()).toBe(`${stage.world.url}/pay/${token}`);
    expect(await title(page)).toBe('Waiting for payment');
    stage.world.pay.change(token, { status: 'canceled' });
    await page.reload();
    await page.click('#again-button');
    expect(page.url()).toBe(`${stage.world.url}/pay/${token}-again`);
    expect(stage.complaints).toEqual([]);
  });

  it('says what is wrong on a page', async () => {
    await stage.renew({ javaScriptEnabled: false });
    stage.world.pay.fault = new Fault('providerLate', 'The provider did not answer in time');
    const page = await stage.visit(stage.order());
    await page.click('#open-button');
    expect(await read(page, 'h1')).toBe('That did not work');
    stage.world.pay.fault = undefined;
    await page.click('a.button');
    expect(await isShown(page, 'open')).toBe(true);
  });
});
