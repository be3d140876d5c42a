/** The earlier surface's own event, and a vector of its signature. */
import { describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import type { Status } from '../domain/transaction.ts';
import { sign } from '../engine/sign.ts';
import { currencies } from '../main.ts';
import type { Change, Transaction } from '../store/transactions.ts';
import { earlierEventOf } from './earlier-event.ts';

const standing = (status: Status) => ({
  ...{ status, reason: '', theirs: 'x', hash: 'y', deposit: undefined, bank: undefined, contradicted: false },
  paid: decimal('100'),
  received: decimal('0.00108'),
});
const TRANSACTION = {
  ...{ id: '01J9ZQ6V6C2N9Y0R3M8T5K7W4X', accountId: 'account', origin: 'earlier', provider: 'moonpay' },
  ...{ source: 'eur', target: 'usdc_polygon', method: 'sepabanktransfer', amount: decimal('99') },
  ...{ partnerContext: '{"n":1.50,"order":"17"}', contextIsObject: true, standing: standing('paid') },
} as unknown as Transaction;
const CHANGE: Change = {
  transaction: TRANSACTION,
  standing: standing('completed'),
  at: new Date(1_767_225_600_123),
  statusAt: new Date(1_767_225_600_123),
  sequence: 4,
};
const of = (more: Partial<Transaction>, status: Status = 'completed') =>
  earlierEventOf(
    { ...CHANGE, transaction: { ...TRANSACTION, ...more }, standing: standing(status) },
    currencies,
  );

/** Written out here, so that no code of ours says what is right. */
const BODY =
  '{"type":"transaction_completed","payload":{"txId":"01J9ZQ6V6C2N9Y0R3M8T5K7W4X","gatewayIdentifier":"moonpay",' +
  '"timestamp":1767225600123,"inCurrency":"EUR","inAmount":100,"outCurrency":"USDC_POLYGON","outAmount":0.00108,' +
  '"medium":"sepaBankTransfer","partnerContext":{"n":1.50,"order":"17"}}}';

describe('the event of a completed order', () => {
  it('says what was bought and for whom, the partner’s context as it was given', () => {
    expect(of({})).toEqual({
      id: '01J9ZQ6V6C2N9Y0R3M8T5K7W4X-transaction_completed',
      accountId: 'account',
      transactionId: '01J9ZQ6V6C2N9Y0R3M8T5K7W4X',
      sequence: 4,
      body: BODY,
      at: CHANGE.at,
    });
    expect(of({ partnerContext: '{"a":1}', contextIsObject: false })?.body).toContain(
      String.raw`"partnerContext":"{\"a\":1}"`,
    );
  });

  it('is told once, and of orders of the earlier surface alone', () => {
    expect(of({ origin: 'current' })).toBeUndefined();
    expect(of({}, 'failed')).toBeUndefined();
    expect(of({ standing: standing('completed') })).toBeUndefined();
  });

  it('has this signature under this secret', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    expect(sign('hmac-sha256-hex', secret, BODY)).toBe(
      '3851479a3173f4018cf8d7f407380a772c34849597991293b15f7a7c1ec2e7d3',
    );
  });
});
