/** Errands: what counts against a provider, and what does not. */
import { describe, expect, it } from 'vitest';
import { silentAdapter } from '../../test/silent-adapter.ts';
import { Fault } from '../domain/fault.ts';
import type { Decline } from '../domain/offer.ts';
import { createHealth } from '../engine/health.ts';
import { Upstream } from '../engine/upstream.ts';
import type { NativeOrder, Page } from '../providers/contract.ts';
import { BadAnswer } from '../providers/exchange.ts';
import type { Transaction } from '../store/transactions.ts';
import { createErrands, type Errand, type ErrandsOptions } from './errands.ts';
import type { OpenedLine } from './lines.ts';

const PAGE: Page = { kind: 'page', url: 'https://elsewhere.example' };
const DECLINE: Decline = { kind: 'decline', reason: 'refused', message: 'too little' };
const OFTEN = 10;

type Judge = ErrandsOptions['ledger']['judge'];

const OPENED = { standing: { status: 'new' }, visitedAt: new Date(0) } as Transaction;

function setUp(answer: Page | Decline, judge: Judge = async () => true) {
  const health = createHealth();
  const line = { adapter: silentAdapter(), health, run: async () => answer } as unknown as OpenedLine;
  const errands = createErrands({ ledger: { judge }, now: () => 0 } as unknown as ErrandsOptions);
  const errand: Errand<Page> = { line, order: { id: 'order' } as NativeOrder, work: () => answer };
  return { errands, errand, health };
}

describe('an errand', () => {
  it('whose answer cannot be used counts against the provider, however often it is answered', async () => {
    const { errands, errand, health } = setUp(PAGE);
    const read = () => {
      throw new BadAnswer('a page that is not the provider’s own');
    };
    for (let time = 0; time < OFTEN && health.state() === 'closed'; time++)
      await expect(errands.run({ ...errand, read })).rejects.toMatchObject({ kind: 'providerFailed' });
    expect(health.state()).toBe('open');
    await expect(errands.run({ ...errand, read })).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('whose refusal cannot be written down is our trouble, told as it is and not the provider’s', async () => {
    const trouble = new Error('timeout exceeded when trying to connect');
    const { errands, errand, health } = setUp(DECLINE, () => Promise.reject(trouble));
    for (let time = 0; time < OFTEN; time++) await expect(errands.run(errand)).rejects.toBe(trouble);
    expect(health.state()).toBe('closed');
  });

  it('that is refused in words no database can hold is written down without them', async () => {
    const reasons: unknown[] = [];
    const words = { ...DECLINE, message: 'not\u0000today \ud83d' };
    const { errands, errand } = setUp(words, async (_database, _id, judgement) => {
      reasons.push(judgement(OPENED)?.reason);
      return true;
    });
    await expect(errands.run(errand)).rejects.toMatchObject({ kind: 'declined' });
    expect(reasons).toEqual(['not today \ufffd']);
  });

  it('that is refused is written down, read by nobody, and the provider is well', async () => {
    let heard = 0;
    const { errands, errand, health } = setUp(DECLINE, async (_database, _id, judgement) => {
      if (judgement(OPENED)?.status === 'failed') heard++;
      return true;
    });
    const read = () => expect.unreachable('a refusal is no page');
    for (let time = 0; time < OFTEN; time++) {
      const refusal = await errands.run({ ...errand, read }).catch(error => error);
      expect([refusal instanceof Fault, refusal.kind]).toEqual([true, 'declined']);
    }
    expect([heard, health.state()]).toEqual([OFTEN, 'closed']);
    const isDecisive = ({ visitedAt }: Transaction) => visitedAt === undefined;
    await expect(errands.run({ ...errand, isDecisive })).rejects.toMatchObject({ kind: 'declined' });
    expect(heard).toBe(OFTEN);
  });

  it.each([
    ['is about the person says nothing of the provider', true, 'go'],
    ['may be about us has the provider left alone', undefined, 'skip'],
  ])('whose 429 %s, and whoever waits is told the same', async (_, throttlesPeople, admission) => {
    const { errands, errand, health } = setUp(PAGE);
    const { manifest } = silentAdapter();
    const adapter = silentAdapter({
      checkout: { ...manifest.checkout, ...(throttlesPeople && { throttlesPeople }) },
    });
    const run = () => Promise.reject(new Upstream('limited', 'answered 429', 60_000));
    const line = { ...errand.line, adapter, run } as unknown as OpenedLine;
    const fault = { kind: 'unavailable', message: 'The provider is busy at the moment' };
    await expect(errands.run({ ...errand, line })).rejects.toMatchObject(fault);
    expect(health.admit(performance.now())).toBe(admission);
  });

  it('that fails otherwise counts against a provider that throttles people, too', async () => {
    const { errands, errand, health } = setUp(PAGE);
    const { manifest } = silentAdapter();
    const adapter = silentAdapter({ checkout: { ...manifest.checkout, throttlesPeople: true } });
    const run = () => Promise.reject(new Upstream('unauthorized', 'answered 401'));
    await expect(errands.run({ ...errand, line: { ...errand.line, adapter, run } })).rejects.toMatchObject({
      kind: 'providerFailed',
    });
    expect(health.state()).toBe('open');
  });

  it('that succeeds gives what was read', async () => {
    const { errands, errand } = setUp(PAGE);
    expect(await errands.run(errand)).toBe(PAGE);
    const read = (page: Page): Page => ({ ...page, url: 'https://own.example' });
    expect(await errands.run({ ...errand, read })).toEqual({ kind: 'page', url: 'https://own.example' });
  });
});
