/** The transaction routes as schemas: they validate requests and are their part of the OpenAPI document. */
import { Type } from 'typebox';
import { LONGEST_CURSOR } from '../../app/cursor.ts';
import { answers } from './answers.ts';

const TransactionRecord = Type.Object(
  {
    apiKey: Type.String({ description: 'Public key of the account.' }),
    country: Type.String({ description: 'Lower-case country code.' }),
    inAmount: Type.Number({ description: 'What was paid; what was ordered until that is known.' }),
    outAmount: Type.Number({ description: 'What was received; 0 until that is known.' }),
    onramp: Type.String(),
    onrampTransactionId: Type.String({ description: 'The provider’s own id; empty until it is known.' }),
    paymentMethod: Type.String(),
    sourceCurrency: Type.String(),
    targetCurrency: Type.String(),
    status: Type.Enum(['new', 'pending', 'paid', 'completed', 'failed', 'canceled', 'expired', 'refunded']),
    statusDate: Type.String({ format: 'date-time' }),
    transactionId: Type.String(),
    transactionType: Type.Enum(['buy', 'sell']),
    transactionHash: Type.String({ description: 'Empty until there is one on the chain.' }),
    walletAddress: Type.String(),
    partnerContext: Type.String(),
    statusReason: Type.String({ description: 'Why it is so, in words; may be empty.' }),
  },
  { title: 'Transaction record' },
);

const TransactionPage = Type.Object(
  {
    transactions: Type.Array(TransactionRecord),
    limit: Type.Integer({ description: 'The limit in force.' }),
    cursor: Type.Optional(Type.String({ description: 'Leads to the next page; absent on the last one.' })),
  },
  { title: 'Transaction page' },
);

const common = { tags: ['Transactions'], security: [{ key: [], secret: [] }] };
const moment = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }));

export const transactionSchemas = {
  one: {
    ...common,
    summary: 'A transaction at its present status',
    params: Type.Object({ transactionId: Type.String() }),
    response: answers(TransactionRecord, 'The latest record.'),
  },
  page: {
    ...common,
    summary: 'Records of transactions, newest first: one for each status reached',
    querystring: Type.Object({
      startDateTime: moment('ISO 8601 with time and zone; records of this moment and later.'),
      endDateTime: moment('ISO 8601 with time and zone; records before this moment.'),
      limit: Type.Optional(
        Type.String({ maxLength: 16, default: '50', description: 'At most 50; above, it is held to 50.' }),
      ),
      transactionIds: Type.Optional(
        Type.String({ maxLength: 1_400, description: 'At most 50, separated by commas.' }),
      ),
      cursor: Type.Optional(
        Type.String({
          maxLength: LONGEST_CURSOR,
          description: 'That of the page before; all else but `limit` must be asked for as it was there.',
        }),
      ),
    }),
    response: answers(TransactionPage, 'A page of records.'),
  },
};
