/** Records: what an account sees of a transaction, field by field. */
import { describe, expect, it } from 'vitest';
import { writeJson } from '../domain/json.ts';
import { decimal } from '../domain/money.ts';
import type { CountryCode, MethodId, ProviderId } from '../domain/words.ts';
import { type EntryFacts, isTransactionId, type RecordSource, recordOf } from './transactions.ts';

const TRANSACTION: RecordSource = {
  id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  country: 'DE' as CountryCode,
  provider: 'moonpay' as ProviderId,
  method: 'creditcard' as MethodId,
  source: 'eur',
  target: 'btc',
  side: 'buy',
  amount: decimal('100.10'),
  walletAddress: 'bc1qAbC',
  partnerContext: 'order 7',
};
const FRESH: EntryFacts = {
  status: 'new',
  at: new Date('2026-03-01T10:00:00Z'),
  reason: '',
  theirs: '',
  hash: '',
  paid: undefined,
  received: undefined,
};

describe('recordOf', () => {
  it('tells of an order nobody has heard of yet, with every field in its place', () => {
    expect(writeJson(recordOf(TRANSACTION, FRESH, 'pk_test_1'))).toBe(
      '{"apiKey":"pk_test_1","country":"de","inAmount":100.1,"outAmount":0,"onramp":"moonpay",' +
        '"onrampTransactionId":"","paymentMethod":"creditcard","sourceCurrency":"eur","targetCurrency":"btc",' +
        '"status":"new","statusDate":"2026-03-01T10:00:00.000Z","transactionId":"01ARZ3NDEKTSV4RRFFQ69G5FAV",' +
        '"transactionType":"buy","transactionHash":"","walletAddress":"bc1qAbC","partnerContext":"order 7",' +
        '"statusReason":""}',
    );
  });

  it('tells what became known, exactly', () => {
    const facts: EntryFacts = {
      status: 'completed',
      at: new Date('2026-03-01T10:00:00.007Z'),
      reason: 'sent',
      theirs: 'their-1',
      hash: '0xabc',
      paid: decimal('101.33'),
      received: decimal('0.000000000000000001'),
    };
    const record = recordOf({ ...TRANSACTION, side: 'sell' }, facts, 'pk_test_1');
    expect(writeJson(record)).toContain('"inAmount":101.33,"outAmount":0.000000000000000001,');
    expect(record).toMatchObject({
      status: 'completed',
      statusDate: '2026-03-01T10:00:00.007Z',
      statusReason: 'sent',
      onrampTransactionId: 'their-1',
      transactionHash: '0xabc',
      transactionType: 'sell',
    });
  });

  it('tells of nothing paid as of nothing, not as of what was ordered', () => {
    expect(recordOf(TRANSACTION, { ...FRESH, paid: decimal(0) }, 'pk').inAmount.toString()).toBe('0');
  });
});

describe('isTransactionId', () => {
  it.each(['01ARZ3NDEKTSV4RRFFQ69G5FAV', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'])('knows the form of %s', id => {
    expect(isTransactionId(id)).toBe(true);
  });

  it.each([
    '',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAVV',
    '01arz3ndektsv4rrffq69g5fav',
    '01ARZ3NDEKTSV4RRFFQ69G5FAI',
    '81ARZ3NDEKTSV4RRFFQ69G5FAV',
    '01ARZ3NDEKTSV4RRFFQ69G5FA\u0000',
    '01ARZ3NDEKTSV4RRFFQ69G5FAV\n',
    ' 01ARZ3NDEKTSV4RRFFQ69G5FAV',
    '__proto__',
  ])('refuses %j', id => {
    expect(isTransactionId(id)).toBe(false);
  });
});
