/** Records: transactions written with their entries, and read by the account that owns them. */
import { type Insertable, sql } from 'kysely';
import { ulid } from 'ulid';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Account, type Credentials, findAccount } from '../../src/app/accounts.ts';
import type { AccountId } from '../../src/domain/words.ts';
import type { EntryRow, TransactionRow } from '../../src/store/tables.ts';
import { transactionRow } from '../rows.ts';
import { startTestService, type TestService } from '../service.ts';
import { PROVIDERS } from './world.ts';
import { WALLET } from './world-orders.ts';

export const UNKNOWN_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

export let service: TestService;
/** Of the account that each test starts with: none of its transactions are there. */
export let own: Credentials;
export let account: Account;
export let other: Credentials;
export let stranger: Account;

/** Begins a file with a service, and each of its tests without any transaction. */
export function setRecords(): void {
  beforeAll(async () => {
    service = await startTestService({}, { only: PROVIDERS });
    own = service.account;
    account = await findAccount(service.database, own.publicKey);
    other = await service.newAccount();
    stranger = await findAccount(service.database, other.publicKey);
  });
  afterAll(() => service?.close());
  beforeEach(() => forget());
}

export async function forget(): Promise<void> {
  await sql`truncate transactions, entries, notices`.execute(service.database);
}

export const keysOf = ({ publicKey, secret }: Credentials) => ({
  authorization: publicKey,
  'x-service-secret': secret,
});
export const read = (path: string, headers: Record<string, string> = keysOf(own)) =>
  service.get(path, headers);

type Said = Partial<Insertable<EntryRow>> & { status: string; at: Date };

/** Writes a transaction with its entries, the last of which is its present status. */
export async function write(
  owner: AccountId,
  said: readonly Said[],
  change: Partial<Insertable<TransactionRow>> = {},
): Promise<string> {
  const id = change.id ?? ulid();
  const entries = said.map((entry, at) => ({
    transaction_id: id,
    account_id: owner,
    sequence: at + 1,
    reason: '',
    theirs: '',
    hash: '',
    paid: null,
    received: null,
    ...entry,
  }));
  const { status, at, reason, theirs, hash, paid, received } = entries.at(-1) as Required<
    Insertable<EntryRow>
  >;
  const reached = { status, status_at: at, sequence: said.length, reason, theirs, hash, paid, received };
  await service.database
    .insertInto('transactions')
    .values(
      transactionRow(owner, {
        ...reached,
        id,
        amount: '100.10',
        wallet_address: WALLET,
        created_at: at,
        ...change,
      }),
    )
    .execute();
  await service.database.insertInto('entries').values(entries).execute();
  return id;
}

export const at = (seconds: number, ms = 0) => new Date(Date.UTC(2026, 2, 1, 10, 0, seconds, ms));

/** So many transactions, one second after the other. */
export async function writeMany(count: number, owner = account.id): Promise<string[]> {
  const ids: string[] = [];
  for (let second = 0; second < count; second++)
    ids.push(await write(owner, [{ status: 'new', at: at(second) }]));
  return ids;
}
