/** Openramp on the wire: requests as every one of them is sent, and answers parsed at the edge by the protocol's schema. */
import { type Static, Type } from 'typebox';
import type { Limits } from '../../domain/listing.ts';
import type { BankTransfer } from '../../domain/step.ts';
import { amountIfAny, type Context, type HttpRequest, wire } from '../exchange.ts';
import { Word } from '../plain.ts';
import * as schema from './schema.ts';

/** A request to the ramp, with our key and the version we speak. */
export function call(context: Context, request: Omit<HttpRequest, 'host' | 'headers'>): HttpRequest {
  const headers = {
    authorization: `Bearer ${context.secret('apiKey')}`,
    'openramp-version': schema.VERSION,
  };
  return { host: 'api', headers, ...request };
}

/** A status that is not in the list moves nothing and is counted; it is no reason not to read the rest. */
const Order = Type.Object({ ...schema.Order.properties, status: Word });

export type Catalog = Static<typeof schema.Catalog>;
export type Order = Static<typeof Order>;
export type Step = Static<typeof schema.Step>;

export const readCatalog = wire(schema.Catalog);
export const readQuote = wire(schema.Quote);
export const readOrder = wire(Order);
export const readRefusal = wire(schema.Refusal);
export const readEvent = wire(schema.Event);

export function limitsOf({ min, max }: { min?: string; max?: string }): Limits {
  return { min: amountIfAny(min), max: amountIfAny(max) };
}

type Bank = NonNullable<Order['bank']>;

export function bankOf({ depositBankAccount, reference, hint }: Bank): BankTransfer {
  const { iban, bic, bankName, bankAddress, accountName, accountAddress } = depositBankAccount;
  return {
    account: { iban, bic, bankName, bankAddress, accountName, accountAddress },
    reference,
    hint,
  };
}
