/** Trades at any provider of the registry: what a client finds out about it, and how a person goes through with it. */
import { expect } from 'vitest';
import { decimal } from '../../src/domain/money.ts';
import type { AssetId, CountryCode, MethodId, ProviderId, Side } from '../../src/domain/words.ts';
import { currencies } from '../../src/main.ts';
import type { NativeOrder } from '../../src/providers/contract.ts';
import type { Context } from '../../src/providers/exchange.ts';
import type { Registered } from '../../src/providers/registry.ts';
import { eventually } from './patience.ts';
import type { AnyStep, StepClient } from './steps-client.ts';
import type { World } from './world.ts';
import { type Order, openPage, order, reaches, statusesOf, WALLET } from './world-orders.ts';
import { type HostedPage, introduce, press, visit } from './world-person.ts';

/** Something that a provider buys or sells, in the words of both surfaces. */
export interface Trade {
  provider: ProviderId;
  side: Side;
  country: string;
  fiat: string;
  method: string;
  /** What is handed over: fiat on a buy, bitcoin on a sell. */
  amount: number;
}

/** Where to look for what a provider does, the usual first. */
const PLACES = [
  ...[{ country: 'de', fiat: 'eur' } as const, { country: 'us', fiat: 'usd' } as const],
  ...[{ country: 'gb', fiat: 'gbp' } as const, { country: 'br', fiat: 'brl' } as const],
  ...[{ country: 'in', fiat: 'inr' } as const, { country: 'au', fiat: 'aud' } as const],
];
const USUAL_METHOD = { buy: 'creditcard', sell: 'sepabanktransfer' };
const USUAL_AMOUNT = { buy: 100, sell: 0.01 };

/** The first trade that the catalog has of a provider: in euros, in Germany, by card or to a bank where it can be. */
export async function findTrade(world: World, provider: ProviderId, side: Side): Promise<Trade> {
  for (const place of PLACES) {
    const found = await tradeIn(world, { ...place, provider, side });
    if (found) return found;
  }
  throw new Error(`the catalog has nothing to ${side} at ${provider}; add where it trades to PLACES`);
}

interface Limits {
  min?: number;
  max?: number;
}

interface PaymentType {
  paymentTypeId: string;
  details: { limits: Record<string, Limits> };
}

async function tradeIn(
  { get, key }: World,
  wanted: Omit<Trade, 'method' | 'amount'>,
): Promise<Trade | undefined> {
  const { provider, side, country, fiat } = wanted;
  const [source, destination] = side === 'buy' ? [fiat, 'btc'] : ['btc', fiat];
  const query = `country=${country}&type=${side}&destination=${destination}`;
  const { body } = await get(`/supported/payment-types/${source}?${query}`, { authorization: key });
  const offered = (body.message as PaymentType[]).filter(({ details }) => details.limits[provider]);
  const chosen = offered.find(({ paymentTypeId }) => paymentTypeId === USUAL_METHOD[side]) ?? offered[0];
  const limits = chosen?.details.limits[provider];
  return chosen && limits && { ...wanted, method: chosen.paymentTypeId, amount: within(limits, side) };
}

function within({ min, max }: Limits, side: Side): number {
  return Math.min(Math.max(USUAL_AMOUNT[side], min ?? 0), max ?? Number.POSITIVE_INFINITY);
}

interface Quoted {
  ramp: string;
  rate?: number;
  payout?: number;
  quoteId: string;
  errors?: unknown[];
}

type PricedQuote = Quoted & { rate: number; payout: number };

/** All quotes for a trade, refusals among them. */
export async function quotesFor({ get, key }: World, trade: Omit<Trade, 'provider'>): Promise<Quoted[]> {
  const { side, country, fiat, method, amount } = trade;
  const pair = side === 'buy' ? `${fiat}/btc` : `btc/${fiat}`;
  const query = `amount=${amount}&country=${country}&paymentMethod=${method}&type=${side}&errors=all`;
  const { status, body, text } = await get(`/quotes/${pair}?${query}`, { authorization: key });
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

/** A provider's own quote for a trade, which is priced. */
export async function quoteOf(world: World, trade: Trade): Promise<PricedQuote> {
  const quotes = await quotesFor(world, trade);
  const own = quotes.find(({ ramp }) => ramp === trade.provider);
  expect(own).toMatchObject({ rate: expect.any(Number), payout: expect.any(Number) });
  expect(own).not.toHaveProperty('errors');
  return own as PricedQuote;
}

/** A checkout of the current surface. Coins of a sale that fails come back to the wallet, which some must know. */
export function checkOut(world: World, trade: Trade, quoteId?: string): Promise<Order> {
  const { provider, side, country, fiat, method, amount } = trade;
  const [source, destination] = side === 'buy' ? [fiat, 'btc'] : ['btc', fiat];
  const wish = { type: side, source, destination, amount, paymentMethod: method };
  const body = { onramp: provider, ...wish, wallet: { address: WALLET }, metaData: { quoteId } };
  return order(world, body, { query: `?country=${country}` });
}

/** From our pay page to where money or coins are to be handed over. */
export async function goToPayment(world: World, made: Order): Promise<HostedPage> {
  expect((await world.get(made.path)).status).toBe(200);
  const page = await introduce(await visit(await openPage(world, made)));
  expect([page.status, page.standing]).toEqual([200, 'awaiting']);
  return page;
}

/** Hands over what the page asks for: by card, by bank, from a wallet, or coins. */
export async function handOver(page: HostedPage): Promise<HostedPage> {
  const paid = await press(page, page.stage === 'bank' ? 'sent' : page.stage);
  return paid.stage === 'secure' ? press(paid, 'approve') : paid;
}

/** Has the sandbox do all the rest, from whatever page the person is on; everything is told at once. */
export async function completeNow(page: HostedPage): Promise<void> {
  expect((await press(page, 'complete')).standing).toBe('completed');
}

/** How long a stand-in takes for what nobody has to do anything for, and how many such things there are at most. */
const STEP_MS = 800;
const STEPS = 3;

/** Lets happen what happens by itself once the person has done their part. */
export function letHappen({ pass }: World): void {
  for (let step = 0; step < STEPS; step++) pass(STEP_MS);
}

export interface TransactionRecord {
  status: string;
  transactionHash: string;
  inAmount: number;
  outAmount: number;
  onrampTransactionId: string;
}

/** What is left of a completed order: one record for each status, whose newest the order is shown by. */
export async function recordOfCompleted(world: World, id: string): Promise<TransactionRecord> {
  await reaches(world, id, 'completed');
  const headers = { authorization: world.key, 'x-service-secret': world.account.secret };
  const { body: latest } = await world.get(`/transactions/${id}`, headers);
  const { body: page } = await world.get(`/transactions?transactionIds=${id}`, headers);
  expect(page.transactions[0]).toEqual(latest);
  const statuses = page.transactions.map(({ status }: TransactionRecord) => status).reverse();
  expect(statuses).toEqual(await statusesOf(world, id));
  expect([statuses[0], statuses.at(-1)]).toEqual(['new', 'completed']);
  return latest;
}

/** The first step of a provider's rate on the earlier surface. */
export async function firstStepOf(world: World, trade: Trade): Promise<AnyStep> {
  const { provider, country, fiat, method, amount } = trade;
  const path = `/legacy/rate/${fiat}/btc/${method}/${amount}?country=${country}`;
  const { body, text } = await world.get(path, { authorization: world.key });
  const rate = body.find(({ identifier }: AnyStep) => identifier === provider);
  expect(rate, text).toMatchObject({ available: true });
  return rate.nextStep;
}

/** What a person has at hand, by the names of fields. */
const PERSON: Record<string, unknown> = {
  ...{ email: 'jane@example.com', cryptocurrencyAddress: WALLET },
  ...{ verifyEmailCode: '123456', verifyPhoneCode: '123456', termsOfUse: true },
  ...{ firstName: 'Jane', lastName: 'Doe', dateOfBirth: { year: 1998, month: 1, day: 1 } },
  ...{ street: 'Teststraße 1', town: 'Berlin', postCode: '10115', country: 'DE' },
  ...{ phoneCountryCode: 49, phoneNumber: 3012345 },
};
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
const MOST_STEPS = 30;

/** Goes through a purchase by steps, knowing nothing but what they say; the types of all of them. */
export async function followSteps(
  world: World,
  client: StepClient,
  first: AnyStep,
): Promise<{ types: string[]; txId: string }> {
  let step = first;
  let txId = '';
  const types: string[] = [step.type];
  while (step.type !== 'completed') {
    step = await stepAfter(world, client, step);
    txId = step.txId ?? txId;
    types.push(step.type);
    if (types.length > MOST_STEPS) throw new Error(`no end: ${types.join(', ')}`);
  }
  return { types, txId };
}

async function stepAfter(world: World, client: StepClient, step: AnyStep): Promise<AnyStep> {
  switch (step.type) {
    case 'form': {
      const names: string[] = step.data.map(({ name }: AnyStep) => name);
      return answered(client.post(step, Object.fromEntries(names.map(name => [name, PERSON[name]]))));
    }
    case 'file':
      return answered(client.put(step, PNG));
    case 'pickOne':
      return step.options[0].nextStep;
    case 'wait':
      return waited(world, client, step);
    case 'iframe':
    case 'redirect':
      return throughPage(world, client, step);
    default:
      throw new Error(`nothing leads on from ${JSON.stringify(step)}`);
  }
}

/** Asks again and again, as clients do, until there is something else. */
async function waited(world: World, client: StepClient, step: AnyStep): Promise<AnyStep> {
  letHappen(world);
  let next = step;
  await eventually(
    async () => {
      next = await answered(client.post(next, {}));
      return next.type !== 'wait';
    },
    'the wait is over',
    { everyMs: 200 },
  );
  return next;
}

async function answered(reply: ReturnType<StepClient['post']>): Promise<AnyStep> {
  const { status, body, text } = await reply;
  expect([status, text]).toEqual([200, expect.any(String)]);
  return body;
}

/** A page: either the provider's own for this step alone, or ours, from which the person goes to the provider's. */
async function throughPage(world: World, client: StepClient, step: AnyStep): Promise<AnyStep> {
  const { status, headers } = await client.open(step.url);
  const place = new URL(headers.get('location') ?? '');
  expect(status).toBe(303);
  if (place.origin === world.url) return throughPayPage(world, { path: place.pathname, id: step.txId });
  const page = await visit(place.href);
  const back = await press(page, page.stage === 'card' ? 'card' : 'approve');
  expect(new URL(back.url).origin).toBe(world.url);
  return JSON.parse(unescaped(/data-step="([^"]*)"/.exec(back.text)?.[1] ?? ''));
}

/** The sandbox does the rest once the person stands where they pay; what our page then hands over is the next step. */
async function throughPayPage(world: World, { id, path }: Omit<Order, 'session'>): Promise<AnyStep> {
  await completeNow(await goToPayment(world, { id, path, session: '' }));
  await reaches(world, id, 'completed');
  const { body } = await world.get(`${path}/state`);
  return body.handover;
}

const SIGNS: Record<string, string> = { quot: '"', amp: '&', lt: '<', gt: '>', '#39': "'" };

function unescaped(text: string): string {
  return text.replace(/&(quot|amp|lt|gt|#39);/g, (_, sign) => SIGNS[sign] ?? '');
}

/** From when on an order can be asked about: its opening, the first webhook about it, or never. */
export type Askable = 'once opened' | 'once heard of' | 'never';

/** What an adapter with such settings can do where no webhook comes. */
export function askableOf({ adapter }: Registered, settings: Readonly<Record<string, string>>): Askable {
  const asks = (access: string | undefined) =>
    adapter.status?.({ ...SOME_ORDER, access }, contextOf(settings)) !== undefined;
  if (asks(undefined)) return 'once opened';
  return asks('some-token') ? 'once heard of' : 'never';
}

const EURO = found(currencies.findFiat('eur'));
const BITCOIN = found(currencies.assets.get('btc_bitcoin' as AssetId));

const SOME_ORDER: NativeOrder = {
  ...{ id: 'some-order', side: 'buy', fiat: EURO, asset: BITCOIN, amount: decimal(100) },
  ...{
    method: USUAL_METHOD.buy as MethodId,
    country: 'DE' as CountryCode,
    theirs: 'their-id',
    access: undefined,
  },
  native: { fiat: 'EUR', asset: 'BTC', network: 'bitcoin', method: 'card' },
  ...{ wallet: { address: WALLET }, email: undefined, clientIp: undefined, createdAt: 0 },
  ...{ returnUrl: '', hookUrl: '', theme: { isDark: false } },
};

function contextOf(settings: Readonly<Record<string, string>>): Context {
  return {
    ...{ now: 0, id: 'some-work', settings, has: name => name in settings },
    ...{
      secret: name => name,
      sign: (how, name) => `${how}[${name}]`,
      base: host => `https://${host}.example`,
    },
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the catalog has neither euros nor bitcoin');
  return value;
}
