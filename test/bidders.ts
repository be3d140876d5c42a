/** Providers as an auction knows them, each behaving as a test says, and what comes of asking them. */
import type { Asset, Fiat } from '../src/domain/currency.ts';
import type { Found } from '../src/domain/listing.ts';
import { decimal } from '../src/domain/money.ts';
import type { Ask, Decline, Outcome, Price } from '../src/domain/offer.ts';
import type {
  AssetId,
  CountryCode,
  FiatId,
  MethodId,
  NetworkId,
  ProviderId,
  Side,
} from '../src/domain/words.ts';
import { createAuction } from '../src/engine/auction.ts';
import type { OutcomeKind } from '../src/engine/bid.ts';
import type { Deadline } from '../src/engine/deadline.ts';
import { createHealth, type Health } from '../src/engine/health.ts';
import type { Line } from '../src/engine/line.ts';
import type { Bidder } from '../src/engine/questions.ts';
import type { Adapter, NativeAsk } from '../src/providers/contract.ts';
import type { HttpAnswer } from '../src/providers/exchange.ts';
import { silentAdapter } from './silent-adapter.ts';

export const NOW = 1_800_000_000_000;
const EUR: Fiat = { id: 'eur' as FiatId, code: 'EUR', name: 'Euro', symbol: '€', decimals: 2 };
const BTC: Asset = {
  ...{ id: 'btc_bitcoin' as AssetId, code: 'BTC', name: 'Bitcoin', symbol: 'BTC', main: true },
  ...{ network: 'bitcoin' as NetworkId, decimals: 8, address: '0x0000000000000000000000000000000000000000' },
};
export const ASK: Ask = {
  ...{ side: 'buy', fiat: EUR, asset: BTC, method: 'creditcard' as MethodId, country: 'DE' as CountryCode },
  ...{ amount: decimal(100), amountOf: 'source' },
};
export const FOUND: Found = {
  asset: { native: 'btc', network: 'mainnet' },
  fiat: { native: 'eur', methods: new Map() },
  method: { native: 'card' },
};

export type Behaviour = (ask: NativeAsk, deadline: Deadline) => Promise<Price | Decline>;

interface Plan {
  found?: Found;
  health?: Health;
  pricesDestination?: Side[];
}

/** A provider that behaves as told; what was asked of it is kept. */
export function bidder(id: string, behave: Behaviour, plan: Plan = {}): Bidder & { asked: NativeAsk[] } {
  const asked: NativeAsk[] = [];
  let deadline: Deadline | undefined;
  const run: Line['run'] = async (work, options) => {
    deadline = options.deadline;
    return work({} as never) as never;
  };
  const adapter: Adapter = {
    ...silentAdapter({
      id: id as ProviderId,
      name: id,
      sides: ['buy', 'sell'],
      pricesDestination: plan.pricesDestination ?? [],
      kyc: [{ upTo: { EUR: '150' }, asks: ['email'] }, { asks: ['email', 'selfie'] }],
    }),
    quote(ask) {
      asked.push(ask);
      // The engine waits for whatever the line gives it; here that is the behaviour itself.
      return behave(ask, deadline as Deadline) as unknown as Price;
    },
  };
  return {
    asked,
    found: plan.found ?? FOUND,
    line: {
      adapter,
      environment: 'test',
      health: plan.health ?? createHealth(),
      run,
      ask: askBy(run),
      prove: async () => false,
      pageOrigin: () => '',
      isOwnPage: () => false,
      close: async () => {},
    },
  };
}

/** Jobs are done as work is carried out. */
export function askBy(run: Line['run']): Line['ask'] {
  return (job, terms) => {
    const decline = (answer: HttpAnswer) => job.decline?.(answer);
    run(context => job.start(context), { ...terms, id: job.id, decline }).then(
      answer => job.done(answer),
      error => job.fail(error),
    );
  };
}

export const priceAt =
  (rate: number): Behaviour =>
  async ({ amount, side, amountOf }) => {
    const fees = { networkFee: decimal(1), providerFee: decimal(2) };
    if (amountOf === 'destination') {
      const worth = amount.times(rate);
      return side === 'buy'
        ? { pays: worth.plus(3), gets: amount, ...fees }
        : { pays: amount.plus(3).div(rate), gets: amount, ...fees };
    }
    return side === 'buy'
      ? { pays: amount, gets: amount.minus(3).div(rate), ...fees }
      : { pays: amount, gets: amount.times(rate).minus(3), ...fees };
  };

/** Never answers; ends when the deadline does, as the transport would. */
export const hang: Behaviour = (_ask, deadline) =>
  new Promise((_resolve, reject) => {
    deadline.add({ giveUp: reject });
  });

interface Observed {
  provider: string;
  kind: OutcomeKind;
}

export function open(deadlineMs = 5_000) {
  const observed: Observed[] = [];
  const auction = createAuction({
    now: () => NOW,
    ticks: () => NOW,
    deadlineMs,
    observe: (provider, kind) => void observed.push({ provider, kind }),
  });
  return { auction, observed };
}

export function show(outcomes: readonly Outcome[]): Record<string, string> {
  return Object.fromEntries(
    outcomes.map(({ provider, answer }) => [provider, answer.kind === 'offer' ? 'offer' : answer.reason]),
  );
}
