/** Problems: one body for every kind of fault, the right status, and nothing of ours inside. */
import { describe, expect, it } from 'vitest';
import { badInput, DeclinedFault, FatalFault, Fault, type FaultKind } from '../domain/fault.ts';
import { writeJson } from '../domain/json.ts';
import { decimal } from '../domain/money.ts';
import type { DeclineReason } from '../domain/offer.ts';
import { describeEarlierProblem, describeProblem } from './problem.ts';

const STATUSES: [FaultKind, number][] = [
  ['badInput', 400],
  ['unauthorized', 401],
  ['forbidden', 403],
  ['notFound', 404],
  ['methodNotAllowed', 405],
  ['conflict', 409],
  ['expired', 410],
  ['tooLarge', 413],
  ['unsupportedMedia', 415],
  ['declined', 422],
  ['tooMany', 429],
  ['providerFailed', 502],
  ['unavailable', 503],
  ['providerLate', 504],
];

describe('describeProblem', () => {
  it.each(STATUSES)('answers %s with %i', (kind, status) => {
    expect(describeProblem(new Fault(kind, 'because'), 'r1')).toEqual({
      status,
      body: {
        message: 'because',
        errorMessage: 'because',
        errorId: status * 10,
        errorCode: status,
        requestId: 'r1',
      },
    });
  });

  it('names the field', () => {
    expect(describeProblem(badInput('amount', 'amount is not a number'), 'r1').body.field).toBe('amount');
  });

  it('says why a provider declined, and its bounds, in the words of quotes', () => {
    const limits = { min: decimal('20'), max: decimal('30000.10') };
    const message = 'Amount should be in between EUR 20 and EUR 30000.1';
    const { status, body } = describeProblem(new DeclinedFault({ reason: 'limit', message, limits }), 'r1');
    expect(status).toBe(422);
    expect(JSON.parse(writeJson(body))).toEqual({
      message,
      errorMessage: message,
      errorId: 6101,
      errorCode: 422,
      field: 'amount',
      type: 'LimitMismatch',
      minAmount: 20,
      maxAmount: 30000.1,
      requestId: 'r1',
    });
  });

  it.each<[DeclineReason, string, number, string | undefined]>([
    ['limit', 'LimitMismatch', 6101, 'amount'],
    ['pair', 'QuoteParameterMismatch', 6100, undefined],
    ['country', 'QuoteParameterMismatch', 6100, 'country'],
    ['method', 'NoSupportedPaymentFound', 6103, 'paymentMethod'],
    ['refused', 'ProviderValidation', 6403, undefined],
    ['unavailable', 'ProviderUnavailable', 6200, undefined],
  ])('calls a decline for %s %s', (reason, type, errorId, field) => {
    const { body } = describeProblem(new DeclinedFault({ reason, message: 'because' }), 'r1');
    expect(JSON.parse(writeJson(body))).toEqual({
      message: 'because',
      errorMessage: 'because',
      errorId,
      errorCode: 422,
      ...(field && { field }),
      type,
      requestId: 'r1',
    });
  });

  it.each([
    ['an error of ours', new Error('password=hunter2 at db.internal')],
    ['a bug', new TypeError('Cannot read properties of undefined')],
    ['a text', 'hunter2'],
    ['nothing', undefined],
    ['null', null],
    ['a number', 42],
    ['an object', { code: 'EACCES', message: 'hunter2' }],
  ])('answers %s with 500 and says nothing about it', (_what, thrown) => {
    const { status, body } = describeProblem(thrown, 'r1');
    expect([status, body.message]).toEqual([500, 'Something went wrong on our side']);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|properties|ECONN/);
  });

  it.each([
    ['refuses', { code: 'ECONNREFUSED', message: 'hunter2' }],
    ['shuts down', { code: '57P01', message: 'hunter2' }],
    ['has no room', { code: '53100', message: 'hunter2' }],
    ['hangs up', new Error('Connection terminated unexpectedly')],
  ])('answers 503 when the database %s', (_how, thrown) => {
    const { status, body } = describeProblem(thrown, 'r1');
    expect(status).toBe(503);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|ECONN|terminated/);
  });

  it.each([
    ['FST_ERR_BAD_URL', 400, 'path'],
    ['FST_ERR_CTP_BODY_TOO_LARGE', 413, 'body'],
    ['FST_ERR_CTP_INVALID_MEDIA_TYPE', 415, 'Content-Type'],
    ['FST_ERR_CTP_EMPTY_JSON_BODY', 400, 'body'],
    ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', 400, 'body'],
  ])('puts %s into our words', (code, status, field) => {
    const { body, ...problem } = describeProblem(Object.assign(new Error('framework words'), { code }), 'r1');
    expect({ ...problem, field: body.field }).toEqual({ status, field });
  });

  const violation = (change: object) => ({
    validation: [{ instancePath: '', keyword: 'type', message: 'must be string', params: {}, ...change }],
    validationContext: 'querystring',
  });

  it.each([
    [
      'a missing parameter',
      { keyword: 'required', params: { missingProperty: 'amount' } },
      'amount',
      'amount is required',
    ],
    [
      'a missing member',
      { instancePath: '/wallet', keyword: 'required', params: { missingProperty: 'address' } },
      'wallet.address',
      'wallet.address is required',
    ],
    ['a wrong type', { instancePath: '/uuid' }, 'uuid', 'uuid must be string'],
    [
      'a word that is not allowed',
      {
        instancePath: '/type',
        keyword: 'enum',
        message: 'must be one of',
        params: { allowedValues: ['buy', 'sell'] },
      },
      'type',
      'type must be one of: buy, sell',
    ],
    ['a whole query', {}, 'querystring', 'querystring must be string'],
  ])('names the place of %s', (_what, change, field, message) => {
    expect(describeProblem(violation(change), 'r1')).toMatchObject({ status: 400, body: { field, message } });
  });
});

describe('describeEarlierProblem', () => {
  it.each(STATUSES)('answers %s with %i, in few words', (kind, status) => {
    expect(describeEarlierProblem(new Fault(kind, 'because'))).toEqual({
      status,
      body: { message: 'because' },
    });
  });

  it('names the field, and says when an order cannot go on', () => {
    expect(describeEarlierProblem(badInput('amount', 'not a number')).body).toEqual({
      message: 'not a number',
      field: 'amount',
    });
    expect(describeEarlierProblem(new FatalFault('expired', 'too late')).body).toEqual({
      message: 'too late',
      fatal: true,
    });
  });

  it('says nothing of what is our own', () => {
    expect(describeEarlierProblem(new Error('password=hunter2'))).toEqual({
      status: 500,
      body: { message: 'Something went wrong on our side' },
    });
  });
});
