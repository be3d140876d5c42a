/** Trouble on the pay page in a real browser: what fails on the way is told, got round, and tried again. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Fault } from '../../src/domain/fault.ts';
import { eventually, HASH, isShown, openFrame, passUntil, read, setStage, whenTitled } from './pay-stage.ts';
import { createPayWorld, startSite } from './pay-world.ts';

const stage = setStage();
/** Has the page believe that somebody came back to it. */
const LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))";
/** Has the page count the beats that it hears. */
const COUNT_BEATS = `window.beats = 0;
EventSource = class extends EventSource {
  constructor(url) {
    super(url);
    this.addEventListener('beat', () => window.beats++);
  }
}`;

afterEach(() => {
  vi.useRealTimers();
});

describe('trouble', () => {
  it('of the provider is told, and can be tried again', async () => {
    stage.world.pay.fault = new Fault('providerFailed', 'The provider could not be used');
    const page = await stage.visit(stage.order());
    await page.click('#open-button');
    await eventually(() => isShown(page, 'trouble'));
    expect(await read(page, '#trouble')).toBe('The provider could not be used. Try again in a moment.');
    expect(await read(page, '#open-button')).toBe('Try again');
    stage.world.pay.fault = undefined;
    await openFrame(page);
    expect(await isShown(page, 'trouble')).toBe(false);
  });

  it('with streams is got round by asking', async () => {
    stage.world.streamless = true;
    const token = stage.order({ opened: true });
    const page = await stage.visitStill(token);
    await eventually(() => stage.asked(token) === 1);
    stage.world.pay.change(token, { status: 'paid' });
    // Three seconds lie between an answer, which comes when it comes, and the next question.
    let passed = 0;
    for (const times of [2, 3]) {
      passed += await passUntil(page, () => stage.asked(token) === times);
      expect(passed).toBeGreaterThanOrEqual((times - 1) * 3_000);
    }
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'connection')).toBe(false);
  });

  it('with streams that bring nothing is noticed, and got round as well', async () => {
    stage.world.silent = true;
    const token = stage.order({ opened: true });
    const page = await stage.visitStill(token);
    await eventually(() => stage.world.asked.some(({ path }) => path === `/pay/${token}/events`));
    stage.world.pay.change(token, { status: 'paid' });
    await page.clock.runFor(8_000);
    await page.waitForTimeout(300);
    expect(stage.asked(token)).toBe(0);
    await page.clock.runFor(2_000);
    await whenTitled(page, 'Paid, coins on the way');
    await page.clock.runFor(3_000);
    await eventually(() => stage.asked(token) === 2);
    expect(await isShown(page, 'connection')).toBe(false);
  });

  it('with a stream that falls silent later, without an end, is noticed too', async () => {
    const token = stage.order({ opened: true });
    const page = await stage.visitStill(token);
    await eventually(() => stage.world.pay.followers() === 1);
    stage.world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Payment under way');
    // Something happens that no stream tells of.
    const view = stage.world.pay.of(token);
    stage.world.pay.put(token, { ...view, status: 'paid', sequence: view.sequence + 1 });
    await page.clock.runFor(33_000);
    await page.waitForTimeout(300);
    expect(stage.asked(token)).toBe(0);
    await page.clock.runFor(2_000);
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'connection')).toBe(false);
  });

  it('is not seen in streams that bring no more for now', async () => {
    // The service's beats are ours to give.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    await stage.context.addInitScript(COUNT_BEATS);
    const token = stage.order({ opened: true });
    const page = await stage.visitStill(token);
    await eventually(() => stage.world.pay.followers() === 1);
    stage.world.pay.change(token, { status: 'pending' });
    await whenTitled(page, 'Payment under way');
    for (const beats of [1, 2, 3]) {
      await page.clock.runFor(30_000);
      vi.advanceTimersByTime(15_000);
      await eventually(() => page.evaluate(`window.beats === ${beats}`));
    }
    expect([stage.asked(token), stage.world.pay.followers()]).toEqual([0, 1]);
  });

  it('of one moment is told, and asked about again until it is over', async () => {
    const token = stage.order({ opened: true });
    const page = await stage.visitStill(token);
    await eventually(() => stage.world.pay.followers() === 1);
    stage.world.away = true;
    await page.evaluate(LOOK_AGAIN);
    await eventually(() => isShown(page, 'connection'));
    // In front of the way on, which stays in sight on a phone.
    const box = await page.locator('#connection').boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    expect(await page.evaluate(`document.elementFromPoint(${x}, ${y}).id`)).toBe('connection');
    const bar = await page.locator('#open-button').boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
    // At once, and after a while: what answers is heard.
    await eventually(() => stage.asked(token) === 2);
    stage.world.away = false;
    await passUntil(page, async () => !(await isShown(page, 'connection')));
    // A stream is had again in the end.
    await passUntil(page, () => stage.world.pay.followers() === 1);
    expect(stage.asked(token)).toBe(12);
  });

  it('is nothing to tell of once an order is done', async () => {
    const token = stage.order({ status: 'completed', hash: HASH });
    const page = await stage.visit(token);
    stage.world.away = true;
    await page.evaluate(LOOK_AGAIN);
    await eventually(() => stage.asked(token) === 1);
    await page.waitForTimeout(300);
    expect(await isShown(page, 'connection')).toBe(false);
    expect(stage.asked(token)).toBe(1);
  });

  it('with the service is told, and over when the service is back', async () => {
    const token = stage.order({ opened: true });
    const page = await stage.visit(token);
    await eventually(() => stage.world.pay.followers() === 1);
    const port = Number(new URL(stage.world.url).port);
    await stage.world.close();
    await eventually(async () => (await read(page, '#connection')).includes('Connection lost'));
    const views = stage.world.pay;
    stage.world = await createPayWorld();
    stage.world.pay.put(token, { ...views.of(token), status: 'paid', sequence: 5 });
    stage.world.url = await stage.world.app.listen({ port, host: '127.0.0.1' });
    await whenTitled(page, 'Paid, coins on the way');
    expect(await isShown(page, 'connection')).toBe(false);
  });

  it('is told inside anybody’s page too, with the way to try again', async () => {
    const shop = await startSite(({ searchParams }) => `<iframe src="${searchParams.get('page')}"></iframe>`);
    const token = stage.order({ ancestors: [shop.url] });
    const page = await stage.newPage();
    const frame = page.frameLocator('iframe');
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/nobody`)}`);
    await frame.getByText('This link does not work').waitFor();
    const { view } = stage.world.pay;
    stage.world.pay.view = async () => {
      throw new Fault('unavailable', 'The database cannot be reached');
    };
    await page.goto(`${shop.url}/?page=${encodeURIComponent(`${stage.world.url}/pay/${token}`)}`);
    await frame.getByText('Nothing is lost').waitFor();
    stage.world.pay.view = view;
    await frame.getByText('Try again', { exact: true }).click();
    await frame.locator('#open-button').waitFor();
    await shop.close();
  });
});
