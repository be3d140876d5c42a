/** The pay page in a real browser: the way to the provider and back, and what other pages may do with it. */
import type { Frame, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { eventually, HASH, isShown, openFrame, read, setStage, title, whenTitled } from './pay-stage.ts';
import { startSite } from './pay-world.ts';

const stage = setStage();

describe('a purchase in a frame', () => {
  it('goes to the provider and back, and is followed to its end', async () => {
    const token = stage.order({ returnTo: `${stage.provider.url}/thanks` });
    const page = await stage.visit(token);
    expect(await page.title()).toBe('Buy BTC with MoonPay');
    expect(await read(page, '#open-button')).toBe('Continue with MoonPay');

    const frame = await openFrame(page);
    const element = page.locator('#frame iframe');
    expect(await element.getAttribute('title')).toBe('MoonPay’s page');
    expect(await element.getAttribute('sandbox')).toBe(
      'allow-scripts allow-forms allow-same-origin allow-popups allow-popups-to-escape-sandbox',
    );
    expect(await element.getAttribute('allow')).toBe(
      `camera ${stage.provider.url}; payment ${stage.provider.url}`,
    );
    expect(await isShown(page, 'open')).toBe(false);
    await whenTitled(page, 'Waiting for payment');

    await frame.click('#done');
    await eventually(async () => (await page.locator('iframe').count()) === 0);
    expect(await read(page, '#stage-note')).toContain('You are back from MoonPay');
    expect(await page.locator('#announcement').textContent()).toContain('You are back from MoonPay');
    expect(await page.evaluate('document.activeElement.id')).toBe('status-title');
    expect(await read(page, '#open-button')).toBe('Open MoonPay again');

    stage.world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Payment under way');
    expect(await read(page, '#steps [aria-current=step]')).toBe('Payment under way');
    stage.world.pay.change(token, { status: 'paid' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'open')).toBe(false);
    stage.world.pay.change(token, { status: 'completed', hash: HASH });
    await whenTitled(page, 'Completed');
    expect(await read(page, '#hash-text')).toBe(HASH);
    expect(await read(page, '[data-row=gets]')).toContain('You received');
    expect(await read(page, '[data-row=providerFee] dt')).toBe('MoonPay’s fee, as quoted');
    expect(await read(page, '#wallet-label')).toBe('Went to this wallet');
    expect(await page.locator('#announcement').textContent()).toContain('Completed.');
    expect(await page.evaluate('document.activeElement.id')).toBe('status-title');
    await eventually(() => stage.world.pay.followers() === 0);

    await page.reload();
    expect(await title(page)).toBe('Completed');
    expect(await read(page, '#hash-text')).toBe(HASH);
    // Whoever comes back later is not sent away.
    expect(await isShown(page, 'countdown')).toBe(false);
    expect(stage.complaints).toEqual([]);
  });

  it('tells the provider our origin, and nobody the address of the page', async () => {
    const token = stage.order();
    const page = await stage.visit(token);
    const frame = await openFrame(page);
    await frame.click('#done');
    await eventually(async () => (await page.locator('iframe').count()) === 0);
    expect(stage.provider.asked.map(({ referer }) => referer)).toEqual([`${stage.world.url}/`]);
    const referers = [...stage.provider.asked, ...stage.world.asked].map(({ referer = '' }) => referer);
    expect(referers.filter(referer => referer.includes(token))).toEqual([]);
  });

  it('is left where it was by a reload, and by opening the link again', async () => {
    const token = stage.order();
    const page = await stage.visit(token);
    await openFrame(page);
    await page.reload();
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await read(page, '#open-button')).toBe('Open MoonPay again');
    await openFrame(page);
    await page.close();
    const later = await stage.visit(token);
    expect(await title(later)).toBe('Waiting for payment');
    expect(await isShown(later, 'open')).toBe(true);
  });

  it('invites nobody to pay twice once it is under way', async () => {
    const token = stage.order();
    const page = await stage.visit(token);
    const colour = () =>
      page.evaluate("getComputedStyle(document.getElementById('open-button')).backgroundColor");
    expect(await isShown(page, 'open-note')).toBe(false);
    const primary = await colour();
    const frame = await openFrame(page);
    // The bank asks back: there is still something to do on the provider's page.
    stage.world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Payment under way');
    expect(await read(page, '#status-lead')).toContain(
      'If MoonPay’s page asks for something, finish it there.',
    );
    expect(await isShown(page, 'open')).toBe(false);
    await frame.click('#done');
    await eventually(() => isShown(page, 'open'));
    for (const isLater of [false, true]) {
      if (isLater) await page.reload();
      expect(await read(page, '#open-button')).toBe('Open MoonPay’s page again');
      expect(await read(page, '#open-note')).toBe(
        'Only if MoonPay still asks you for something. If you have paid, there is nothing more to do here.',
      );
      expect(await colour()).not.toBe(primary);
      expect(await page.locator('#actions .primary, #stage .primary').filter({ visible: true }).count()).toBe(
        1,
      );
    }
    await openFrame(page);
  });

  it('gives the provider the powers it needs and no others', async () => {
    const page = await stage.visit(stage.order({ permissions: ['camera'] }));
    const frame = await openFrame(page);
    const allowed = (name: string) => `document.featurePolicy.allowsFeature('${name}')`;
    expect(await frame.evaluate(allowed('camera'))).toBe(true);
    for (const name of ['microphone', 'payment', 'geolocation', 'usb', 'clipboard-read']) {
      expect(await frame.evaluate(allowed(name))).toBe(false);
    }
  });

  it('cannot lead the page itself away', async () => {
    const page = await stage.visit(stage.order());
    const frame = await openFrame(page);
    const url = page.url();
    await frame.evaluate(`try { top.location = '${stage.provider.url}/evil' } catch {}`);
    await page.waitForTimeout(300);
    expect(page.url()).toBe(url);
    expect(await page.locator('iframe').count()).toBe(1);
  });

  it('opens once, however often it is asked to', async () => {
    const page = await stage.visit(stage.order());
    await page.evaluate('for (let i = 0; i < 5; i++) document.forms[0].requestSubmit()');
    await page.waitForSelector('#frame iframe');
    await page.waitForTimeout(200);
    expect(stage.world.pay.openedFrom).toHaveLength(1);
  });

  it('can be had in a window instead, with a hint for those who pay with a wallet', async () => {
    const page = await stage.visit(stage.order({ method: 'applepay' }));
    await openFrame(page);
    expect(await read(page, '#wallet-pay')).toContain('Apple Pay may be missing');
    const [popup] = await Promise.all([stage.context.waitForEvent('page'), page.click('#elsewhere')]);
    await popup.waitForSelector('#done');
    expect(await page.locator('iframe').count()).toBe(0);
    expect(await read(page, '#stage-note')).toContain('open in another window');
  });
});

describe('messages', () => {
  const RETURNED = `{ type: 'cloverleaf:returned' }`;

  it('that are not our return page’s in what we opened are not acted on', async () => {
    const token = stage.order();
    const page = await stage.visit(token);
    const frame = await openFrame(page);
    const asked = () => stage.asked(token);
    await eventually(() => asked() > 0);
    const before = asked();
    await page.evaluate('window.heard = []; addEventListener("message", ({ origin }) => heard.push(origin))');

    // Frames are processes of their own: each message has arrived before the next is sent.
    const arrived = (count: number) =>
      eventually(async () => (await page.evaluate('heard.length')) === count);

    // Another origin: the provider's page itself.
    await frame.evaluate(`parent.postMessage(${RETURNED}, '*')`);
    await arrived(1);
    // No origin at all.
    await frame.evaluate(`(async () => {
      const inner = document.createElement('iframe');
      inner.sandbox = 'allow-scripts';
      inner.srcdoc = "<script>top.postMessage(${RETURNED}, '*')</script>";
      document.body.append(inner);
      await new Promise(done => { inner.onload = done });
    })()`);
    await arrived(2);
    // Our own origin, from the page itself and from another window of ours.
    await page.evaluate(`postMessage(${RETURNED}, location.origin)`);
    await arrived(3);
    const [helper] = await Promise.all([
      stage.context.waitForEvent('page'),
      page.evaluate("void open('/pay/assets/pay.css')"),
    ]);
    await helper.waitForLoadState();
    await helper.evaluate(`opener.postMessage(${RETURNED}, location.origin)`);
    await arrived(4);
    // The right window with another message.
    await frame.evaluate(`parent.postMessage({ type: 'cloverleaf:status', status: 'completed' }, '*')`);
    await arrived(5);
    expect(await page.evaluate('heard')).toEqual([
      stage.provider.url,
      'null',
      stage.world.url,
      stage.world.url,
      stage.provider.url,
    ]);
    await page.waitForTimeout(300);
    expect(await page.locator('iframe').count()).toBe(1);
    expect(asked()).toBe(before);
    expect(await title(page)).toBe('Waiting for payment');
    // The right one is.
    await frame.click('#done');
    await eventually(async () => (await page.locator('iframe').count()) === 0);
    await eventually(() => asked() > before);
    expect(asked()).toBe(before + 1);
  });

  it('reach the page of a registered shop, each status once, and no other frame', async () => {
    const shop = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = stage.order({ ancestors: ['https://other.example', shop.url] });
    const page = await stage.newPage();
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`);
    const pay = await payFrame(page);
    const inner = await openFrame(pay);
    await inner.evaluate('window.heard = []; addEventListener("message", ({ data }) => heard.push(data))');
    for (const status of ['pending', 'paid', 'completed'] as const) {
      stage.world.pay.change(token, { status });
      // The same status again, with something new.
      stage.world.pay.change(token, { hash: HASH });
      if (status !== 'completed') await eventually(async () => (await messages(page)).length > 1);
      if (status === 'paid') {
        expect(await inner.evaluate('heard')).toEqual([]);
        await inner.click('#done');
      }
    }
    await eventually(async () => (await messages(page)).length === 4);
    const { transactionId } = stage.world.pay.of(token);
    expect(await messages(page)).toEqual(
      ['new', 'pending', 'paid', 'completed'].map(status => ({
        origin: stage.world.url,
        data: { type: 'cloverleaf:status', transactionId, status },
      })),
    );
    // The way back leads the whole shop's page, and nobody is counted down inside it.
    expect(await isShown(pay, 'countdown')).toBe(false);
    expect(stage.complaints).toEqual([]);
    await shop.close();
  });

  it('still reach it when an order is started over, where ancestors are not told', async () => {
    const shop = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    await stage.context.addInitScript(
      "Object.defineProperty(location, 'ancestorOrigins', { value: undefined })",
    );
    const token = stage.order({ status: 'failed', ancestors: [shop.url] });
    const page = await stage.context.newPage();
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`);
    const pay = await payFrame(page);
    await pay.click('#again-button');
    await eventually(async () => (await messages(page)).length === 2);
    expect((await messages(page)).map(({ data }) => data.status)).toEqual(['failed', 'new']);
    await shop.close();
  });

  it('never reach a page that is not registered, even where it could frame ours', async () => {
    const stranger = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = stage.order({ ancestors: ['https://shop.example'] });
    const page = await stage.context.newPage();
    // A browser that knows nothing of frame-ancestors.
    await page.route(`${stage.world.url}/pay/${token}`, async route => {
      const response = await route.fetch();
      const headers = response.headers();
      delete headers['content-security-policy'];
      await route.fulfill({ response, headers });
    });
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`);
    const pay = await payFrame(page);
    stage.world.pay.change(token, { status: 'completed' });
    await whenTitled(pay, 'Completed');
    await page.waitForTimeout(200);
    expect(await messages(page)).toEqual([]);
    await stranger.close();
  });

  interface Heard {
    origin: string;
    data: { type: string; transactionId: string; status: string };
  }

  function messages(page: Page): Promise<Heard[]> {
    return page.evaluate('window.heard') as Promise<Heard[]>;
  }

  async function payFrame(page: Page): Promise<Frame> {
    const frame = (await (await page.waitForSelector('iframe')).contentFrame()) as Frame;
    await frame.waitForSelector('html.live');
    return frame;
  }
});

/** A page that frames another and keeps what it hears. */
function framing(url: string): string {
  return `<title>Shop</title><script>window.heard = [];
addEventListener('message', ({ origin, data }) => heard.push({ origin, data }))</script>
<iframe id="pay-frame" src="${url}" width="400" height="700"></iframe>`;
}

describe('framing', () => {
  const seen = async (page: Page) =>
    (await Promise.all(page.frames().map(frame => frame.locator('#pay').count()))).some(Boolean);

  it.each([
    ['by anyone, without registered origins', () => []],
    ['by a stranger', () => ['https://shop.example']],
  ])('is refused %s', async (_name, ancestors) => {
    const stranger = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = stage.order({ ancestors: ancestors() });
    const page = await stage.newPage();
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`);
    await eventually(() => stage.complaints.some(text => text.includes('frame-ancestors')));
    expect(await seen(page)).toBe(false);
    await stranger.close();
  });

  it('is refused by a stranger that frames a registered shop', async () => {
    const shop = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const stranger = await startSite(({ searchParams }) => framing(searchParams.get('page') ?? ''));
    const token = stage.order({ ancestors: [shop.url] });
    const inner = `${shop.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`;
    const page = await stage.newPage();
    await page.goto(`${stranger.url}/?page=${encodeURIComponent(inner)}`);
    await eventually(() => stage.complaints.some(text => text.includes('frame-ancestors')));
    expect(await seen(page)).toBe(false);
    await shop.close();
    await stranger.close();
  });
});
