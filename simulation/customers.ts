/** Customers: people and shops that buy and sell through the service, try again when it does not answer, and vanish. */
import type { Chance } from '../faults/bed/chance.ts';
import { type Ask, ask, type Reply } from './client.ts';
import { type Instance, PUBLIC_URL } from './instance.ts';
import type { Journal } from './journal.ts';
import { pause, ticks } from './machine/time.ts';
import { checkQuotes, checkTime, methodOf, type Quote } from './quotes.ts';
import type { Account } from './shops.ts';
import { PROVIDERS, type Provider } from './tales.ts';

/** What a customer wanted, and what they were told. */
export interface Purchase {
  number: number;
  account: Account;
  provider: Provider;
  side: 'buy' | 'sell';
  surface: 'current' | 'earlier';
  key: string;
  wallet: string;
  amount: string;
  /** Comes back in the record: the shop's own name of the order. */
  context: string;
  /** The answer, once there was one. */
  acknowledged: { transactionId: string; url: string; text: string } | undefined;
  /** When it was first asked for, in ticks. */
  began: number;
  opened: boolean;
}

export interface Customers {
  purchases: Purchase[];
  /** Carries a purchase out until the person is at the provider, or gives up. */
  buy(number: number): Promise<void>;
}

export interface CustomersOptions {
  chance: Chance;
  journal: Journal;
  accounts: readonly Account[];
  /** Whoever serves at the moment. */
  instances(): readonly Instance[];
  /** The person is at the provider. */
  onOpened(purchase: Purchase): void;
}

/** Real addresses, so that their checksums hold. */
const WALLETS = [
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
];

/** How long a checkout may take to be answered. */
const UNANSWERED_MS = 30_000;
const TRIES = 14;

export function openCustomers(options: CustomersOptions): Customers {
  const { chance, journal, accounts, instances } = options;
  const purchases: Purchase[] = [];

  /** Somebody who may or may not be there. */
  function anyPlace(): Instance | undefined {
    const serving = instances().filter(({ state }) => state === 'serving');
    return serving.length > 0 ? chance.pick(serving) : undefined;
  }

  /** Asks whoever serves; what comes back is held against what must always be so. */
  async function send(what: Ask, name: string): Promise<Reply> {
    const instance = anyPlace();
    if (!instance) {
      await pause(500);
      return { status: 0, text: '', headers: {}, ms: 0, failure: 'refused' };
    }
    const reply = await ask(instance.place, what);
    journal.note(`${name} ${reply.status || reply.failure} after ${reply.ms.toFixed(0)} ms`);
    if (reply.failure === 'late' && instance.state === 'serving')
      journal.violate('P7', `${name} was never answered by ${instance.place}`);
    if (reply.status === 500) journal.violate('P7', `${name} was answered 500: ${journal.lastError}`);
    return reply;
  }

  function want(number: number): Purchase {
    const provider = chance.pick(PROVIDERS);
    const surface = provider === 'moonpay' && chance.below(1) < 0.25 ? 'earlier' : 'current';
    const side = provider === 'moonpay' && surface === 'current' && chance.below(1) < 0.3 ? 'sell' : 'buy';
    return {
      number,
      account: chance.pick(accounts),
      provider,
      side,
      surface,
      key: `purchase-${number}`,
      wallet: chance.pick(WALLETS),
      amount: side === 'buy' ? String(chance.whole(60, 400)) : `0.0${chance.whole(11, 40)}`,
      context: `order ${number}`,
      acknowledged: undefined,
      began: ticks(),
      opened: false,
    };
  }

  async function quote({ account, side, amount, provider }: Purchase): Promise<string | undefined> {
    const pair = side === 'buy' ? 'eur/btc' : 'btc/eur';
    const reply = await send(
      {
        path: `/quotes/${pair}?amount=${amount}&paymentMethod=${methodOf(side)}&country=de`,
        headers: { authorization: account.publicKey },
      },
      'quotes',
    );
    if (reply.status !== 200) return undefined;
    checkTime(reply, journal);
    const quotes = JSON.parse(reply.text) as Quote[];
    checkQuotes(quotes, { side, amount: Number(amount) }, journal);
    return quotes.find(({ ramp, payout }) => ramp === provider && payout !== undefined)?.quoteId;
  }

  function letterOf(purchase: Purchase, quoteId: string | undefined): Ask {
    const { account, provider, side, amount, wallet, context, key } = purchase;
    const body = {
      onramp: provider,
      source: side === 'buy' ? 'eur' : 'btc',
      destination: side === 'buy' ? 'btc' : 'eur',
      amount: Number(amount),
      type: side,
      paymentMethod: methodOf(side),
      partnerContext: context,
      wallet: { address: wallet },
      ...(quoteId !== undefined && { metaData: { quoteId } }),
    };
    return {
      method: 'POST',
      path: '/checkout/intent',
      headers: {
        'content-type': 'application/json',
        authorization: account.publicKey,
        'idempotency-key': key,
      },
      body: JSON.stringify(body),
    };
  }

  /** With the same key until there is an answer; now and then twice at once. */
  async function checkOut(purchase: Purchase): Promise<void> {
    const quoteId = chance.below(1) < 0.3 ? await quote(purchase) : undefined;
    const letter = letterOf(purchase, quoteId);
    const first = ticks();
    for (let tries = 0; tries < TRIES; tries++) {
      const isDouble = chance.below(1) < 0.1;
      if (isDouble) journal.reach('one key sent twice at once');
      const replies = await Promise.all(
        isDouble ? [send(letter, 'checkout'), send(letter, 'checkout')] : [send(letter, 'checkout')],
      );
      for (const reply of replies) if (reply.status === 200) acknowledge(purchase, reply.text);
      if (purchase.acknowledged) break;
      const [{ status } = { status: 0 }] = replies;
      if (status === 409) journal.reach('told that it is still running');
      if (status === 503 || status === 502 || status === 504) journal.reach(`checkout answered ${status}`);
      // An order that is begun at the provider itself is gone when that has none, by a clock that may be wrong.
      const mayBeGone = quoteId !== undefined || purchase.provider === 'guardarian';
      if (status === 410 && !mayBeGone && ticks() - first < UNANSWERED_MS)
        journal.violate('F24', `${purchase.key} was given up while it was being made`);
      // What is refused for good is not asked for again.
      if (status >= 400 && status < 500 && status !== 409 && status !== 429) return;
      if (tries > 0) journal.reach('a checkout tried again');
      await pause(chance.whole(300, 4_000));
    }
    if (purchase.acknowledged && chance.below(1) < 0.15) {
      const again = await send(letter, 'checkout again');
      if (again.status === 200) {
        journal.reach('an answer given twice');
        acknowledge(purchase, again.text);
      }
    }
  }

  function acknowledge(purchase: Purchase, text: string): void {
    const before = purchase.acknowledged;
    if (before && before.text !== text)
      journal.violate('P1', `${purchase.key} was answered twice, and differently`);
    const { message } = JSON.parse(text) as {
      message: { transactionInformation: { transactionId: string; url: string } };
    };
    purchase.acknowledged ??= { ...message.transactionInformation, text };
  }

  /** From the first step of a rate to the page; the same as a checkout, by another door. */
  async function goStepByStep(purchase: Purchase): Promise<void> {
    const { account, amount, wallet, context, provider } = purchase;
    const headers = { authorization: `Basic ${account.publicKey}` };
    const rate = await send(
      { path: `/legacy/rate/EUR/BTC/creditCard/${amount}?country=de`, headers },
      'rate',
    );
    if (rate.status !== 200) return;
    const offers = JSON.parse(rate.text) as { identifier: string; available: boolean; nextStep?: Step }[];
    let step = offers.find(({ identifier, available }) => identifier === provider && available)?.nextStep;
    for (let tries = 0; step?.url && step.type === 'form' && tries < TRIES; tries++) {
      const body = JSON.stringify({
        ...{ email: 'ada@example.com', cryptocurrencyAddress: wallet, termsOfUse: true },
        partnerContext: context,
      });
      const path = new URL(step.url).pathname;
      const reply = await send({ method: 'POST', path: `${path}?country=de`, headers, body }, 'step');
      if (reply.status === 200) step = JSON.parse(reply.text) as Step;
      else if (reply.status === 409 || (reply.status >= 400 && reply.status < 500)) return;
      else await pause(chance.whole(300, 4_000));
    }
    if (step?.url && step.type !== 'form' && step.txId)
      purchase.acknowledged = { transactionId: step.txId, url: step.url, text: '' };
  }

  /** Goes on to the provider's page, whose link must lead where the customer said. */
  async function open(purchase: Purchase): Promise<void> {
    const { acknowledged, wallet, provider, side } = purchase;
    if (!acknowledged) return;
    const path = new URL(acknowledged.url).pathname;
    for (let tries = 0; tries < TRIES; tries++) {
      const reply =
        purchase.surface === 'earlier'
          ? await followStep(path)
          : await send(
              {
                method: 'POST',
                path: `${path}/open`,
                headers: {
                  origin: PUBLIC_URL,
                  'content-type': 'application/json',
                  accept: 'application/json',
                },
                body: '{}',
              },
              'open',
            );
      if (reply.status === 200) {
        const { url } = JSON.parse(reply.text) as { url: string };
        if (!url.startsWith('http://providers.example:80/'))
          journal.violate('P4', `${purchase.key} was sent to ${url.slice(0, 60)}`);
        if (
          side === 'buy' &&
          provider === 'moonpay' &&
          new URL(url).searchParams.get('walletAddress') !== wallet
        )
          journal.violate('P4', `${purchase.key} was sent on with another wallet`);
        purchase.opened = true;
        return options.onOpened(purchase);
      }
      if (reply.status === 410 || reply.status === 404 || reply.status === 422) return;
      await pause(chance.whole(500, 4_000));
    }
  }

  /** A step's page leads to the pay page. */
  async function followStep(path: string): Promise<Reply> {
    const page = path.startsWith('/pay/') ? path : undefined;
    if (!page) {
      const moved = await send({ path }, 'step page');
      const to = moved.headers.location;
      if (!to) return moved;
      return followStep(new URL(to, PUBLIC_URL).pathname);
    }
    return send(
      {
        method: 'POST',
        path: `${page}/open`,
        headers: { origin: PUBLIC_URL, 'content-type': 'application/json', accept: 'application/json' },
        body: '{}',
      },
      'open',
    );
  }

  return {
    purchases,
    async buy(number) {
      const purchase = want(number);
      purchases.push(purchase);
      await (purchase.surface === 'earlier' ? goStepByStep(purchase) : checkOut(purchase));
      if (!purchase.acknowledged) return;
      if (purchase.surface === 'earlier') journal.reach('a purchase by steps');
      if (purchase.side === 'sell') journal.reach('a sale');
      if (chance.below(1) < 0.08) return journal.reach('a person who never comes');
      await pause(chance.whole(100, 5_000));
      await open(purchase);
      if (purchase.opened && chance.below(1) < 0.1) {
        journal.reach('a page opened twice');
        await open(purchase);
      }
    },
  };
}

interface Step {
  type: string;
  url?: string;
  txId?: string;
}
