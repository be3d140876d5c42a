/** Plain writes: the rows that baselines write instead of ours, as large as ours, and the statements that write them. */

/** As many connections as the service has. */
export const CONNECTIONS = 10;

export const WALLET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
export const THEME = {
  isDark: false,
  themeName: 'light-theme',
  primaryColor: '#241d1c',
  secondaryColor: '#FFFFFF',
  primaryTextColor: '#141519',
  secondaryTextColor: '#6b6f80',
  cardColor: '#F6F7F9',
};

const SESSION_MS = 600_000;

/** What names one order; all else is alike. */
export interface PlainOrder {
  id: string;
  sessionId: string;
  at: Date;
}

/** The columns of a transaction that a checkout fills, each with what it is filled with. */
const ORDER: readonly (readonly [column: string, value: (order: PlainOrder) => unknown])[] = [
  ['id', ({ id }) => id],
  ['session_id', ({ sessionId }) => sessionId],
  ['account_id', () => '01K00000000000000000000000'],
  ['environment', () => 'test'],
  ['origin', () => 'current'],
  ['provider', () => 'moonpay'],
  ['side', () => 'buy'],
  ['fiat', () => 'eur'],
  ['asset', () => 'btc_bitcoin'],
  ['method', () => 'creditcard'],
  ['country', () => 'DE'],
  ['source', () => 'eur'],
  ['target', () => 'btc'],
  ['amount', () => '100'],
  ['offer', () => '{"gets":"0.00168","networkFee":"7.64","providerFee":"3.99"}'],
  ['native', () => '{"fiat":"eur","asset":"btc","network":"bitcoin","method":"credit_debit_card"}'],
  ['wallet_address', () => WALLET],
  ['wallet_memo', () => null],
  ['partner_context', () => 'order-1'],
  ['uuid', () => '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
  ['originating_host', () => 'shop.example'],
  ['theme', () => JSON.stringify(THEME)],
  ['return_to', () => null],
  ['sign_nonce', () => null],
  ['created_at', ({ at }) => at],
  ['expires_at', ({ at }) => new Date(at.getTime() + SESSION_MS)],
  ['ready', () => true],
  ['status', () => 'new'],
  ['status_at', ({ at }) => at],
];

export function insertOrder(table: string): string {
  return insertInto(
    table,
    ORDER.map(([column]) => column),
  );
}

export function orderValues(order: PlainOrder): unknown[] {
  return ORDER.map(([, value]) => value(order));
}

/** A webhook that is kept. */
export interface PlainLetter {
  digest: Buffer;
  headers: string;
  body: Buffer;
}

export function insertLetter(table: string): string {
  return insertInto(table, ['provider', 'environment', 'digest', 'headers', 'body']);
}

export function letterValues({ digest, headers, body }: PlainLetter): unknown[] {
  return ['moonpay', 'test', digest, headers, body];
}

export function insertInto(table: string, columns: readonly string[]): string {
  const places = columns.map((_, at) => `$${at + 1}`);
  return `insert into ${table} (${columns.join(', ')}) values (${places.join(', ')})`;
}
