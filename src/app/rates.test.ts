/** Rates: one for each gateway, in order; all countries together, a least worth in euros, and the first step of each. */
import { describe, expect, it } from 'vitest';
import type { Listing } from '../domain/listing.ts';
import { decimal } from '../domain/money.ts';
import { type Ask, type Decline, decline, limitDecline, type Offer } from '../domain/offer.ts';
import type { AccountId, AssetId, CountryCode, FiatId, MethodId, ProviderId } from '../domain/words.ts';
import { currencies } from '../main.ts';
import { type Account, mayUse } from './accounts.ts';
import type { FlowTerms } from './flows.ts';
import type { Listings } from './listings.ts';
import type { Quotes } from './quotes.ts';
import { createRates, type Rate, type RateWish } from './rates.ts';

const ACCOUNT = {
  ...{ id: 'acc1' as AccountId, name: 'shop', environment: 'test', providers: undefined },
  preferred: {},
} as unknown as Account;

const asset = currencies.assets.get('btc_bitcoin' as AssetId);
const eur = currencies.findFiat('eur');
const usd = currencies.findFiat('usd');
if (!asset || !eur || !usd) throw new Error('the catalog lacks what every test needs');

const BUY: RateWish['ask'] = {
  ...{ side: 'buy', fiat: eur, asset, method: 'creditcard' as MethodId },
  ...{ amount: decimal(100), amountOf: 'source' },
};

function wish(change: Partial<RateWish> = {}): RateWish {
  return {
    ...{ account: ACCOUNT, ask: BUY, place: 'DE' as CountryCode, located: 'DE' as CountryCode },
    ...{ gateway: undefined, minEuros: undefined, wallet: undefined },
    ...change,
  };
}

function offerAt(rate: number, { amount, amountOf }: Ask): Offer {
  const fees = { networkFee: decimal(1), providerFee: decimal(2) };
  const figures =
    amountOf === 'source'
      ? { pays: amount, gets: amount.minus(3).div(rate) }
      : { pays: amount.times(rate).plus(3), gets: amount };
  return { kind: 'offer', ...figures, ...fees, rate: decimal(rate), asks: [] };
}

type Answers = Record<string, (ask: Ask) => Offer | Decline>;

/** Providers that sell in the countries they are listed with, and answer as told. */
function open(answers: Answers, sold: Record<string, string[]> = {}, unread: string[] = []) {
  const asked: { country: string; providers: string[]; fiat: string }[] = [];
  const offered: FlowTerms[] = [];
  const lineOf = (id: string) => ({ adapter: { manifest: { id } } });
  const listed = Object.keys(answers)
    .filter(id => !unread.includes(id))
    .map(id => ({ line: lineOf(id), listings: [listingIn(sold[id])] }));
  const quotes: Quotes = {
    async ask({ account, ask }) {
      const providers = Object.keys(answers).filter(id => mayUse(account, id as ProviderId));
      asked.push({ country: ask.country, providers, fiat: ask.fiat.code });
      const told = providers.map(id => ({
        provider: id as ProviderId,
        answer: answers[id]?.(ask) ?? decline('pair', 'no'),
      }));
      return {
        quotes: told.flatMap(({ provider, answer }) =>
          answer.kind === 'offer' ? [{ provider, answer, recommendations: [], quoteId: '' }] : [],
        ),
        refusals: told.flatMap(({ provider, answer }) =>
          answer.kind === 'decline' ? [{ provider, answer, quoteId: '' }] : [],
        ),
      };
    },
    askOne: () => Promise.reject(new Error('not asked here')),
    follow: () => Promise.reject(new Error('not asked here')),
  };
  const rates = createRates({
    currencies,
    listings: { of: () => listed, unread: () => unread.map(lineOf) } as unknown as Listings,
    quotes,
    flows: {
      offer(terms) {
        offered.push(terms);
        return { provider: terms.provider, transactionId: undefined, step: STEP, tokens: ['t'] };
      },
    },
  });
  return { rates, asked, offered };
}

const STEP = { type: 'form', key: 'first', fields: [] } as const;

function listingIn(countries: string[] | undefined): Listing {
  return {
    side: 'buy',
    countries: countries && new Set(countries as CountryCode[]),
    assets: new Map([['btc_bitcoin' as AssetId, { native: 'btc', network: '' }]]),
    fiats: new Map([
      [
        'eur' as FiatId,
        { native: 'eur', methods: new Map([['creditcard' as MethodId, { native: 'card' }]]) },
      ],
    ]),
  };
}

const show = (told: Rate[]) =>
  told.map(({ provider, answer }) => `${provider} ${answer.kind === 'offer' ? 'offer' : answer.reason}`);

describe('rates', () => {
  it('are one for each gateway: the best offer first, refusals last', async () => {
    const { rates } = open({
      slow: () => decline('unavailable', 'late'),
      dear: ask => offerAt(90_000, ask),
      cheap: ask => offerAt(88_000, ask),
      elsewhere: () => decline('country', 'not there'),
    });
    expect(show(await rates.list(wish()))).toEqual([
      'cheap offer',
      'dear offer',
      'slow unavailable',
      'elsewhere country',
    ]);
    const inCrypto = wish({ ask: { ...BUY, amount: decimal('0.01'), amountOf: 'destination' } });
    expect(show(await rates.list(inCrypto)).slice(0, 2)).toEqual(['cheap offer', 'dear offer']);
  });

  it('of offers, and of them alone, carry a first step on their very terms', async () => {
    const { rates, offered } = open({ a: ask => offerAt(88_000, ask), b: () => decline('refused', 'no') });
    const wallet = { address: 'bc1q', memo: '7' };
    const told = await rates.list(
      wish({ wallet, ask: { ...BUY, amount: decimal('0.01'), amountOf: 'destination' } }),
    );
    expect(told.map(({ turn }) => turn?.tokens)).toEqual([['t'], undefined]);
    expect(offered).toHaveLength(1);
    // What is handed over, whichever of the two was asked for.
    expect(offered[0]).toMatchObject({
      ...{ account: ACCOUNT, provider: 'a', side: 'buy', method: 'creditcard', country: 'DE', wallet },
      amount: decimal(883),
      price: { gets: decimal('0.01'), networkFee: decimal(1), providerFee: decimal(2) },
    });
  });

  it('of one gateway are asked of it alone, and never of one the account may not use', async () => {
    const { rates, asked } = open({ a: ask => offerAt(88_000, ask), b: ask => offerAt(88_000, ask) });
    expect(show(await rates.list(wish({ gateway: 'b' as ProviderId })))).toEqual(['b offer']);
    const account = { ...ACCOUNT, providers: ['a' as ProviderId] };
    expect(show(await rates.list(wish({ account, gateway: 'b' as ProviderId })))).toEqual([]);
    expect(asked.map(({ providers }) => providers)).toEqual([['b'], []]);
  });
});

describe('all countries together', () => {
  it('ask each gateway where it sells, the caller’s country before the fiat’s home before others', async () => {
    const offer = (ask: Ask) => offerAt(88_000, ask);
    const { rates, asked } = open(
      { here: offer, home: offer, far: offer, nowhere: () => decline('pair', 'no') },
      { here: ['US', 'DE'], home: ['US', 'FR'], far: ['US', 'BR'], nowhere: [] },
    );
    const told = await rates.list(wish({ place: 'all' }));
    expect(show(told)).toHaveLength(4);
    expect(Object.fromEntries(told.map(({ provider, ask }) => [provider, ask.country]))).toEqual({
      ...{ here: 'DE', home: 'FR', nowhere: 'DE' },
      far: expect.stringMatching(/^(US|BR)$/),
    });
    expect(asked.flatMap(({ providers }) => providers).sort()).toEqual(['far', 'here', 'home', 'nowhere']);
  });

  it('name those that have not told yet what they do, among those that the account may use', async () => {
    const unread = () => decline('unavailable', 'not told yet');
    const { rates, asked } = open({ new: unread, other: unread }, {}, ['new', 'other']);
    const account = { ...ACCOUNT, providers: ['new' as ProviderId] };
    expect(show(await rates.list(wish({ account, place: 'all' })))).toEqual(['new unavailable']);
    expect(asked).toEqual([{ country: 'DE', providers: ['new'], fiat: 'EUR' }]);
    expect(await rates.list(wish({ place: 'all' }))).toHaveLength(2);
  });
});

describe('a least worth in euros', () => {
  const errorsOf = (told: Rate[]) =>
    told.map(({ provider, answer }) =>
      answer.kind === 'offer' ? provider : `${provider} ${answer.limits?.min} ${answer.received?.min ?? '-'}`,
    );

  it('refuses smaller orders, whoever would take them', async () => {
    const { rates, asked } = open({ a: ask => offerAt(88_000, ask) });
    expect(errorsOf(await rates.list(wish({ minEuros: decimal(150) })))).toEqual(['a 150 0.00170455']);
    expect(errorsOf(await rates.list(wish({ minEuros: decimal(100) })))).toEqual(['a']);
    expect(asked).toHaveLength(2);
  });

  it('is measured by what was asked for, whoever takes a little less of it', async () => {
    const { rates } = open({ a: ask => ({ ...offerAt(88_000, ask), pays: ask.amount.times('0.995') }) });
    expect(errorsOf(await rates.list(wish({ minEuros: decimal(100) })))).toEqual(['a']);
    expect(errorsOf(await rates.list(wish({ minEuros: decimal('100.01') })))).toEqual([
      'a 100.01 0.00113648',
    ]);
    const coins = { ...BUY, amount: decimal('0.001'), amountOf: 'destination' as const };
    expect(errorsOf(await rates.list(wish({ ask: coins, minEuros: decimal(100) })))).toEqual([
      'a 100 0.00113637',
    ]);
  });

  it('raises the limit of those who refuse for less, and leaves alone who refuses for more', async () => {
    const { rates } = open({
      low: () => limitDecline('EUR', { min: decimal(110) }),
      high: () => limitDecline('EUR', { min: decimal(200) }),
      full: () => limitDecline('EUR', { max: decimal(50) }),
      off: () => decline('unavailable', 'late'),
    });
    const told = await rates.list(wish({ minEuros: decimal(150) }));
    expect(errorsOf(told)).toEqual(['low 150 -', 'high 200 -', 'full undefined -', 'off undefined -']);
  });

  it('is in other money what the coin costs in both', async () => {
    const dollars = { ...BUY, fiat: usd, amount: decimal(100) };
    const { rates, asked } = open({
      a: ask => offerAt(ask.fiat.code === 'USD' ? 110_000 : 88_000, ask),
    });
    expect(errorsOf(await rates.list(wish({ ask: dollars, minEuros: decimal(100) })))).toEqual([
      'a 125 0.00113637',
    ]);
    expect(errorsOf(await rates.list(wish({ ask: dollars, minEuros: decimal(80) })))).toEqual(['a']);
    expect(asked.map(({ fiat }) => fiat)).toEqual(['USD', 'EUR', 'USD', 'EUR']);
  });

  it('is told also where nobody offers at the amount: by the rate for one that they take', async () => {
    const { rates } = open({
      a: ask =>
        ask.amountOf === 'source' && ask.amount.gte(22)
          ? offerAt(ask.fiat.code === 'USD' ? 110_000 : 88_000, ask)
          : limitDecline(ask.fiat.code, { min: decimal(22) }),
    });
    const dollars = { ...BUY, fiat: usd, amount: decimal(1) };
    expect(errorsOf(await rates.list(wish({ ask: dollars, minEuros: decimal(200) })))).toEqual([
      'a 250 0.00227273',
    ]);
    const coins = { ...BUY, amount: decimal('0.000001'), amountOf: 'destination' as const };
    expect(errorsOf(await rates.list(wish({ ask: coins, minEuros: decimal(200) })))).toEqual([
      'a 200 0.00227273',
    ]);
  });

  it('means nothing where nobody sells the coin for euros', async () => {
    const dollars = { ...BUY, fiat: usd };
    const { rates } = open({
      a: ask => (ask.fiat.code === 'USD' ? offerAt(110_000, ask) : decline('pair', 'no')),
    });
    expect(errorsOf(await rates.list(wish({ ask: dollars, minEuros: decimal(5_000) })))).toEqual(['a']);
  });
});
