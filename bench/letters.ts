/** Letters: webhooks as MoonPay sends them, signed, each about an order that is known by its reference. */
import { createHmac } from 'node:crypto';
import { writePost } from './load.ts';

/** What is told of an order, in this order. */
const TOLD = [
  ['transaction_created', 'waitingAuthorization'],
  ['transaction_updated', 'pending'],
  ['transaction_updated', 'completed'],
] as const;

/** How many letters tell of one order. */
export const LETTERS_EACH = TOLD.length;

/** Requests that tell of all these orders, ready to be sent. */
export function writeLetters(path: string, secret: string, references: readonly string[]): Buffer[] {
  return references.flatMap(reference =>
    TOLD.map((_, step) => {
      const body = writeBody(reference, step);
      return writePost(path, headersFor(body, secret), body);
    }),
  );
}

/** What is kept of one letter: as many bytes as of any other. */
export function sampleLetter(secret: string): { headers: string; body: string } {
  const body = writeBody('01K00000000000000000000000', 2);
  const sent = headersFor(body, secret).map(line => line.split(': '));
  const usual = { host: 'bench', 'content-type': 'application/json', 'content-length': String(body.length) };
  return {
    headers: JSON.stringify({ headers: { ...usual, ...Object.fromEntries(sent) }, search: '' }),
    body,
  };
}

/** "Moonpay-Signature-V2": the moment, a dot and the body are signed. */
function headersFor(body: string, secret: string): string[] {
  const seconds = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
  const signed = `t=${seconds},s=${signature}`;
  return ['user-agent: MoonPay', `moonpay-signature-v2: ${signed}`, `moonpay-signature: ${signed}`];
}

function writeBody(reference: string, step: number): string {
  const [type, status] = TOLD[step] as (typeof TOLD)[number];
  const isDone = status === 'completed';
  const theirs = reference
    .toLowerCase()
    .padStart(32, '0')
    .replace(/(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  return JSON.stringify({
    type,
    data: {
      ...BUY,
      id: theirs,
      status,
      externalTransactionId: reference,
      updatedAt: new Date(Date.now() + step).toISOString(),
      quoteCurrencyAmount: isDone ? 0.00168 : null,
      cryptoTransactionId: isDone ? `${reference.toLowerCase()}${'0'.repeat(38)}` : null,
    },
    externalCustomerId: null,
  });
}

/** "Buy webhooks": what else one holds. */
const BUY = {
  createdAt: '2026-01-31T12:00:00.000Z',
  failureReason: null,
  baseCurrencyAmount: 88.37,
  feeAmount: 3.99,
  extraFeeAmount: 0,
  networkFeeAmount: 7.64,
  areFeesIncluded: true,
  flow: 'principal',
  walletAddress: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  walletAddressTag: null,
  paymentMethod: 'credit_debit_card',
  baseCurrencyId: '71435a8d-211c-4664-a59e-2a5361a6c5a7',
  baseCurrency: { id: '71435a8d-211c-4664-a59e-2a5361a6c5a7', type: 'fiat', name: 'Euro', code: 'eur' },
  currencyId: '8d305f63-1fd7-4e01-a220-8445e591aec4',
  currency: { id: '8d305f63-1fd7-4e01-a220-8445e591aec4', type: 'crypto', name: 'Bitcoin', code: 'btc' },
  customerId: '00000000-0000-4000-8000-0000000000cc',
  cardId: '00000000-0000-4000-8000-0000000000ca',
  bankAccountId: null,
  bankDepositInformation: null,
  bankTransferReference: null,
  externalCustomerId: null,
  redirectUrl: null,
  returnUrl: null,
  widgetRedirectUrl: null,
  isFromQuote: false,
  isRecurring: false,
  country: 'DEU',
  state: null,
  eurRate: 1,
  usdRate: 1.08,
  gbpRate: 0.86,
  stages: [
    'stage_one_ordering',
    'stage_two_verification',
    'stage_three_processing',
    'stage_four_delivery',
  ].map(stage => ({ stage, status: 'success', failureReason: null, actions: [], metaData: [] })),
};
