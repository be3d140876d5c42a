/** Webhooks of the providers, written and signed as their documents say, without any of our own code. */
import { createHmac, randomUUID } from 'node:crypto';
import { createSeal } from '../../src/app/seal.ts';
import { createTokenKeepers } from '../../src/app/tokens.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import type { Reply } from '../service.ts';
import { type Instance, MASTER_KEY, MERCURYO, MOONPAY, TRANSAK } from './world.ts';

export interface Hook {
  provider: ProviderId;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** Sends a webhook as its provider would. */
export function deliver(at: Instance, { provider, headers, body }: Hook): Promise<Reply> {
  return at.post(`/hooks/${provider}`, body, { 'content-type': 'application/json', ...headers });
}

const hmac = (key: string, parts: readonly (string | Buffer)[], encoding: 'hex' | 'base64url') => {
  const made = createHmac('sha256', key);
  for (const part of parts) made.update(part);
  return made.digest(encoding);
};

const MOONPAY_KEY = 'wk_test_cloverleaf';
const MERCURYO_KEY = 'standin-mercuryo-sign-key';

export const seconds = () => Math.floor(Date.now() / 1_000);

/** "Webhook signature": `t=<seconds>,s=<HMAC of seconds, dot and body>`. */
export function signMoonpay(body: string | Buffer, { t = String(seconds()), key = MOONPAY_KEY } = {}): Hook {
  const signature = `t=${t},s=${hmac(key, [`${t}.`, body], 'hex')}`;
  return { provider: MOONPAY, headers: { 'moonpay-signature-v2': signature }, body };
}

export function moonpayHook(data: object, type = 'transaction_updated'): Hook {
  return signMoonpay(JSON.stringify({ type, data, externalCustomerId: null }));
}

/** "Callbacks": the HMAC of the body in `X-Signature`. */
export function signMercuryo(body: string | Buffer, key = MERCURYO_KEY): Hook {
  return { provider: MERCURYO, headers: { 'x-signature': hmac(key, [body], 'hex') }, body };
}

export function mercuryoHook(data: object): Hook {
  return signMercuryo(JSON.stringify({ eventId: randomUUID(), data }));
}

const inBase64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** "How to decrypt webhook payload": a JWT signed with the access token. */
export function signTransak(claims: unknown, token: string, header: object = { alg: 'HS256' }): Hook {
  const signed = `${inBase64(header)}.${inBase64(claims)}`;
  const data = `${signed}.${hmac(token, [signed], 'base64url')}`;
  return { provider: TRANSAK, headers: {}, body: JSON.stringify({ data }) };
}

export function transakHook(webhookData: object, token: string, eventID = 'ORDER_PROCESSING'): Hook {
  return signTransak({ webhookData, eventID, createdAt: new Date().toISOString() }, token);
}

/** The access token that the service uses at present, and the one before it. */
export async function transakTokens({ database }: Instance): Promise<{ secret: string; previous?: string }> {
  const seal = createSeal(Buffer.from(MASTER_KEY, 'hex'), 'provider-tokens');
  const keeper = createTokenKeepers({ database, seal })({
    provider: TRANSAK,
    environment: 'test',
    origin: 'standin',
  });
  const kept = await keeper.read();
  if (!kept) throw new Error('no token has been asked for yet');
  return { secret: kept.secret, ...(kept.previous !== undefined && { previous: kept.previous }) };
}

/** A purchase as its provider tells it from first to last, and the statuses it reaches by that. */
export interface Story {
  hooks: Hook[];
  statuses: string[];
  /** How the transaction stands in the end. */
  end: { status: string; theirs: string; hash: string; paid: string; received: string };
}

const HASH = 'd0'.repeat(32);
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

/** A buy of 100 euros by the reference that the provider was given. */
export const STORIES: Record<string, (reference: string, token: string) => Story> = {
  moonpay(reference) {
    const theirs = randomUUID();
    const say = (second: number, status: string, more: object = {}, type?: string) =>
      moonpayHook(
        { id: theirs, status, externalTransactionId: reference, updatedAt: at(second), ...more },
        type,
      );
    return {
      hooks: [
        say(1, 'waitingAuthorization', {}, 'transaction_created'),
        say(2, 'pending'),
        say(3, 'pending'),
        say(4, 'completed', {
          baseCurrencyAmount: 95.5,
          feeAmount: 3.5,
          networkFeeAmount: 1,
          extraFeeAmount: 0,
          quoteCurrencyAmount: 0.00108,
          cryptoTransactionId: HASH,
        }),
      ],
      statuses: ['new', 'pending', 'completed'],
      end: { status: 'completed', theirs, hash: HASH, paid: '100', received: '0.00108' },
    };
  },
  transak(reference, token) {
    const theirs = randomUUID();
    const say = (second: number, status: string, event: string, more: object = {}) =>
      transakHook(
        {
          id: theirs,
          status,
          partnerOrderId: reference,
          isBuyOrSell: 'BUY',
          fiatAmount: 100,
          cryptoAmount: 0.00107,
          updatedAt: at(second),
          ...more,
        },
        token,
        event,
      );
    return {
      hooks: [
        say(1, 'AWAITING_PAYMENT_FROM_USER', 'ORDER_CREATED'),
        say(2, 'PROCESSING', 'ORDER_PROCESSING'),
        say(3, 'PENDING_DELIVERY_FROM_TRANSAK', 'ORDER_PROCESSING'),
        say(4, 'COMPLETED', 'ORDER_COMPLETED', { transactionHash: HASH }),
      ],
      statuses: ['new', 'pending', 'paid', 'completed'],
      end: { status: 'completed', theirs, hash: HASH, paid: '100', received: '0.00107' },
    };
  },
  mercuryo(reference) {
    const [theirs, withdrawal] = [`0${'a1'.repeat(8)}`, `0${'b2'.repeat(8)}`].map(
      id => id.slice(0, 9) + randomUUID().slice(0, 8),
    ) as [string, string];
    const say = (second: number, type: string, status: string, more: object = {}) =>
      mercuryoHook({
        id: type === 'buy' ? theirs : withdrawal,
        type,
        status,
        merchant_transaction_id: reference,
        fiat_amount: '100.00',
        amount: '0.00106000',
        updated_at_ts: Date.parse(at(second)) / 1_000,
        ...more,
      });
    return {
      hooks: [
        say(1, 'buy', 'new'),
        say(2, 'buy', 'pending'),
        say(3, 'buy', 'paid'),
        say(3, 'withdraw', 'new'),
        say(4, 'withdraw', 'pending'),
        say(5, 'withdraw', 'completed', { tx: { id: HASH, address: 'x' } }),
      ],
      statuses: ['new', 'pending', 'paid', 'completed'],
      end: { status: 'completed', theirs, hash: HASH, paid: '100', received: '0.00106' },
    };
  },
};
