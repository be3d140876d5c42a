/** The real service with its stand-ins: orders as a shop makes them, and the records that are left of them. */
import { type RawBuilder, sql } from 'kysely';
import { expect } from 'vitest';
import { allow, type Credentials } from '../../src/app/accounts.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { startTestService, type TestService } from '../service.ts';

/** The wallets of everybody here: where coins go, and where those of a sale come back to. */
export const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
export const REFUNDS_TO = '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy';

export interface Order {
  transactionId: string;
  /** Our pay page. */
  url: string;
  type: string;
  partnerContext: string;
  account: Credentials;
}

export interface OrderRecord {
  status: string;
  statusDate: string;
  statusReason: string;
  transactionId: string;
  transactionHash: string;
  transactionType: string;
  onramp: string;
  onrampTransactionId: string;
  paymentMethod: string;
  sourceCurrency: string;
  targetCurrency: string;
  inAmount: number;
  outAmount: number;
  walletAddress: string;
  partnerContext: string;
}

export interface PurchaseWorld {
  service: TestService;
  /** Makes an order; `wish` is laid over the usual one. */
  buy(onramp: string, wish?: object, account?: Credentials): Promise<Order>;
  sell(onramp: string, wish?: object, account?: Credentials): Promise<Order>;
  /** All records of an order, newest first, after checking what is true of any. */
  records(order: Order): Promise<OrderRecord[]>;
  /** An account whose pages are at `origin`, known to the service. */
  newShop(origin: string): Promise<Credentials>;
  fault(provider: string, kind: Fault): void;
  run(statement: RawBuilder<unknown>): Promise<void>;
  /** How many webhooks of a provider have come. */
  heard(provider: string): Promise<number>;
  /** Has the provider asked about the order at the next beat, whenever that was planned. */
  lookNow(order: Order): Promise<void>;
}

type Fault = Parameters<TestService['sandbox']['fault']>[1]['kind'];

export async function startPurchaseWorld(): Promise<PurchaseWorld> {
  // A browser takes what it needs of the machine; providers are not late for that.
  const service = await startTestService({ QUOTE_DEADLINE_MS: '10000' });
  let made = 0;

  async function order(wish: object, account = service.account): Promise<Order> {
    const partnerContext = `order ${++made}`;
    const response = await fetch(`${service.url}/checkout/intent`, {
      method: 'POST',
      headers: { authorization: account.publicKey, 'content-type': 'application/json' },
      body: JSON.stringify({ partnerContext, ...wish }),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`checkout: ${response.status} ${text}`);
    const { transactionId, url, type } = JSON.parse(text).message.transactionInformation;
    return { transactionId, url, type, partnerContext, account };
  }

  const run = async (statement: RawBuilder<unknown>) => void (await statement.execute(service.database));

  return {
    service,
    run,
    buy: (onramp, wish, account) => order({ ...BUY, onramp, ...wish }, account),
    sell: (onramp, wish, account) => order({ ...SELL, onramp, ...wish }, account),
    async records({ transactionId, partnerContext, account }) {
      const headers = { authorization: account.publicKey, 'x-service-secret': account.secret };
      const page = await service.get(`/transactions?transactionIds=${transactionId}`, headers);
      const latest = await service.get(`/transactions/${transactionId}`, headers);
      expect(page.status).toBe(200);
      const records: OrderRecord[] = page.body.transactions;
      const statuses = records.map(({ status }) => status);
      const dates = records.map(({ statusDate }) => statusDate);
      expect(latest.body).toEqual(records[0]);
      expect(page.body.cursor).toBeUndefined();
      expect(new Set(statuses).size).toBe(statuses.length);
      expect(new Set(dates).size).toBe(dates.length);
      expect(dates).toEqual(dates.toSorted().reverse());
      expect(new Set(records.map(record => record.partnerContext))).toEqual(new Set([partnerContext]));
      return records;
    },
    async newShop(origin) {
      const account = await service.newAccount();
      const { host } = new URL(origin);
      await allow(service.database, account.publicKey, { origins: [origin], redirectHosts: [host] });
      const wish = { ...BUY, onramp: 'moonpay', supportedParams: leadingTo(`${origin}/`) };
      for (const end = Date.now() + 30_000; ; ) {
        const refusal = await order(wish, account).then(() => undefined, String);
        if (refusal === undefined) return account;
        if (Date.now() > end || !refusal.includes('not registered')) throw new Error(refusal);
        await new Promise(resolve => setTimeout(resolve, 100));
      }
    },
    fault: (provider, kind) => service.sandbox.fault(provider as ProviderId, { kind, ms: 0 }),
    async heard(provider) {
      const { rows } = await sql<{ count: number }>`
        select count(*)::int as count from inbox where provider = ${provider}`.execute(service.database);
      return rows[0]?.count ?? 0;
    },
    lookNow: ({ transactionId }) =>
      run(sql`update tasks set due_at = now() where kind = 'look-up' and key = ${transactionId}`),
  };
}

/** The part of an order that says where the person goes afterwards. */
export function leadingTo(success: string): object {
  return { partnerData: { redirectUrl: { success } } };
}

const BUY = {
  source: 'eur',
  destination: 'btc',
  amount: 100,
  type: 'buy',
  paymentMethod: 'creditcard',
  network: 'bitcoin',
  wallet: { address: WALLET },
};

const SELL = {
  source: 'btc',
  destination: 'eur',
  amount: 0.003,
  type: 'sell',
  paymentMethod: 'sepabanktransfer',
  network: 'bitcoin',
  wallet: { address: REFUNDS_TO },
};
