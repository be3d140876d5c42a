/** Routes of an account's transactions, and how their questions are read. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { isTransactionId, MOST_RECORDS, type Transactions } from '../../app/transactions.ts';
import { badInput, Fault } from '../../domain/fault.ts';
import { readMoment } from './moment.ts';
import { transactionSchemas } from './transactions-schema.ts';

export interface TransactionRoutes {
  transactions: Transactions;
}

const CONFIG = { secret: true, origins: true };

export function transactionRoutes({ transactions }: TransactionRoutes): FastifyPluginAsyncTypebox {
  return async app => {
    app.get('/transactions', { schema: transactionSchemas.page, config: CONFIG }, async (request, reply) => {
      const { startDateTime, endDateTime, limit, transactionIds, cursor } = request.query;
      const from = startDateTime === undefined ? undefined : readMoment('startDateTime', startDateTime);
      const until = endDateTime === undefined ? undefined : readMoment('endDateTime', endDateTime);
      if (from && until && until < from)
        throw badInput('endDateTime', 'endDateTime must not be before startDateTime');
      const page = await transactions.page(request.account, {
        from,
        until,
        ids: transactionIds === undefined ? undefined : readIds(transactionIds),
        limit: limit === undefined ? MOST_RECORDS : readLimit(limit),
        cursor,
      });
      reply.header('cache-control', 'no-store');
      return { transactions: page.records, limit: page.limit, cursor: page.cursor };
    });

    app.get(
      '/transactions/:transactionId',
      { schema: transactionSchemas.one, config: CONFIG },
      async (request, reply) => {
        const record = await transactions.find(request.account, request.params.transactionId);
        if (!record) throw new Fault('notFound', 'There is no such transaction', 'transactionId');
        reply.header('cache-control', 'no-store');
        return record;
      },
    );
  };
}

function readLimit(text: string): number {
  const limit = /^[0-9]+$/.test(text) ? Number(text) : 0;
  if (limit < 1) throw badInput('limit', 'limit must be a whole number above zero');
  return Math.min(limit, MOST_RECORDS);
}

function readIds(text: string): string[] {
  const ids = text.split(',');
  if (ids.length > MOST_RECORDS)
    throw badInput('transactionIds', `transactionIds may name at most ${MOST_RECORDS} transactions`);
  if (!ids.every(isTransactionId))
    throw badInput('transactionIds', 'transactionIds must be transaction ids separated by commas');
  return ids;
}
