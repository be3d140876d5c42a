/** Rows for tests that look at what the database holds. */
import type { Insertable } from 'kysely';
import { ulid } from 'ulid';
import type { TransactionRow } from '../src/store/tables.ts';

/** A transaction of one hundred euros of bitcoin, as a checkout would have written it. */
export function transactionRow(
  accountId: string,
  more: Partial<Insertable<TransactionRow>> = {},
): Insertable<TransactionRow> {
  const at = more.created_at ?? new Date();
  return {
    id: ulid(),
    session_id: ulid(),
    account_id: accountId,
    environment: 'test',
    origin: 'current',
    provider: 'moonpay',
    side: 'buy',
    fiat: 'eur',
    asset: 'btc_bitcoin',
    method: 'creditcard',
    country: 'DE',
    source: 'eur',
    target: 'btc',
    amount: '100',
    offer: '{"gets":"0.001","networkFee":"1","providerFee":"4"}',
    native: '{"fiat":"eur","asset":"btc","network":"bitcoin","method":"credit_debit_card"}',
    wallet_address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    wallet_memo: null,
    partner_context: '',
    uuid: null,
    originating_host: null,
    theme: '{}',
    return_to: null,
    sign_nonce: null,
    created_at: at,
    expires_at: new Date(new Date(at).getTime() + 600_000),
    ready: true,
    opened_at: null,
    page: null,
    status: 'new',
    status_at: at,
    paid: null,
    received: null,
    deposit: null,
    ...more,
  };
}
