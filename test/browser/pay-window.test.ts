/** The pay page and the provider's page in a window of its own, in a real browser. */
import { describe, expect, it } from 'vitest';
import { Fault } from '../../src/domain/fault.ts';
import { eventually, isShown, read, setStage, whenTitled } from './pay-stage.ts';
import { startSite } from './pay-world.ts';

const stage = setStage();

describe('a purchase in a window', () => {
  it('goes there and back, and closes it', async () => {
    const token = stage.order({ opens: 'redirect' });
    const page = await stage.visit(token);
    const [popup] = await Promise.all([stage.context.waitForEvent('page'), page.click('#open-button')]);
    await popup.waitForSelector('#done');
    expect(stage.provider.asked.map(({ referer }) => referer)).toEqual([`${stage.world.url}/`]);
    expect(await page.locator('iframe').count()).toBe(0);
    const closed = popup.waitForEvent('close');
    await popup.click('#done');
    await closed;
    await eventually(async () => (await read(page, '#stage-note')).includes('You are back'));
    expect(await read(page, '#open-button')).toBe('Open MoonPay again');
    expect(stage.complaints).toEqual([]);
  });

  it('notices that the person closed it', async () => {
    const page = await stage.visit(stage.order({ opens: 'redirect' }));
    const [popup] = await Promise.all([stage.context.waitForEvent('page'), page.click('#open-button')]);
    await popup.waitForSelector('#done');
    expect(await isShown(page, 'open')).toBe(false);
    await popup.close();
    await eventually(() => isShown(page, 'open'));
    expect(await read(page, '#stage-note')).toContain('You are back from MoonPay');
    expect(await page.locator('#announcement').textContent()).toContain('You are back from MoonPay');
    expect(await page.evaluate('document.activeElement.id')).toBe('status-title');
  });

  it('shows a link when the browser blocks it, which leads back to the order', async () => {
    const token = stage.order({ opens: 'redirect' });
    await stage.context.addInitScript('window.open = () => null');
    const page = await stage.visit(token);
    await page.click('#open-button');
    await eventually(() => isShown(page, 'link'));
    expect(await read(page, '#link')).toBe('Open MoonPay’s page');
    expect(await read(page, '#stage-note')).toContain('blocked');
    expect(await page.evaluate('document.activeElement.id')).toBe('link');
    await page.click('#link');
    await page.click('#done');
    await page.waitForURL(`${stage.world.url}/pay/${token}`);
    expect(await read(page, '#open-button')).toBe('Open MoonPay again');
    expect(stage.provider.asked.map(({ referer }) => referer)).toEqual([`${stage.world.url}/`]);
  });

  it('takes the link away before it has lapsed, and gets a fresh one for whoever goes on', async () => {
    await stage.context.addInitScript('window.open = () => null');
    const page = await stage.visitStill(stage.order({ opens: 'redirect' }));
    await page.click('#open-button');
    await eventually(() => isShown(page, 'link'));
    await page.clock.runFor(59_000);
    expect([await isShown(page, 'link'), await isShown(page, 'open')]).toEqual([true, false]);
    await page.clock.runFor(1_000);
    expect([await isShown(page, 'link'), await isShown(page, 'stage-note')]).toEqual([false, false]);
    expect(await page.evaluate('document.activeElement.id')).toBe('status-title');
    await page.click('#open-button');
    await eventually(() => isShown(page, 'link'));
    expect(stage.world.pay.openedFrom).toHaveLength(2);
  });

  it('takes the link away once it was used, inside a page too', async () => {
    const shop = await startSite(({ searchParams }) => `<iframe src="${searchParams.get('page')}"></iframe>`);
    await stage.context.addInitScript('window.open = () => null');
    const token = stage.order({ opens: 'redirect', ancestors: [shop.url] });
    const page = await stage.newPage();
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`);
    const frame = page.frameLocator('iframe');
    for (const times of [1, 2]) {
      await frame.locator('#open-button').click();
      await frame.locator('#link').waitFor();
      const [other] = await Promise.all([stage.context.waitForEvent('page'), frame.locator('#link').click()]);
      await other.waitForSelector('#done');
      await other.close();
      expect(await frame.locator('#link').isVisible()).toBe(false);
      expect(stage.world.pay.openedFrom).toHaveLength(times);
    }
    expect(await frame.locator('#open-button').innerText()).toBe('Open MoonPay again');
    await shop.close();
  });

  it('does not stay open empty when the provider is in trouble', async () => {
    stage.world.pay.fault = new Fault('providerLate', 'The provider did not answer in time');
    const page = await stage.visit(stage.order({ opens: 'redirect' }));
    await page.click('#open-button');
    await eventually(() => isShown(page, 'trouble'));
    await eventually(() => stage.context.pages().length === 1);
  });

  it('is not offered again once it is paid', async () => {
    const token = stage.order({ opens: 'redirect' });
    const page = await stage.visit(token);
    const [popup] = await Promise.all([stage.context.waitForEvent('page'), page.click('#open-button')]);
    await popup.waitForSelector('#done');
    expect(await page.evaluate('document.activeElement.id')).toBe('reopen');
    stage.world.pay.change(token, { status: 'paid' });
    await whenTitled(page, 'Paid, coins on the way');
    for (const id of ['open', 'reopen', 'link', 'stage-note'])
      expect(await isShown(page, id), id).toBe(false);
    expect(await page.evaluate('document.activeElement.id')).toBe('status-title');
  });

  it('is a link in an app whose view would lose the page to it', async () => {
    await stage.renew({
      userAgent: 'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/130.0.0.0 Mobile',
    });
    const page = await stage.visit(stage.order({ opens: 'redirect' }));
    await page.click('#open-button');
    await eventually(() => isShown(page, 'link'));
    expect(stage.context.pages()).toHaveLength(1);
    await page.click('#link');
    await page.waitForSelector('#done');
  });
});
