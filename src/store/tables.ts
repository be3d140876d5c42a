/** The tables, as TypeScript sees them; the migrations say what they are. */
import type { ColumnType, Generated } from 'kysely';

export interface Tables {
  accounts: AccountRow;
  account_secrets: SecretRow;
  provider_settings: SettingRow;
  provider_switches: SwitchRow;
  listings: ListingRow;
  transactions: TransactionRow;
  tasks: TaskRow;
  revisions: { name: string; revision: ColumnType<string, never, never> };
  facts: { name: string; value: string };
}

interface AccountRow {
  id: string;
  name: string;
  public_key: string;
  environment: string;
  /** Provider ids the account may use; null for all. */
  providers: string[] | null;
  /** Preferred provider by client name; `*` for every client. */
  preferred: ColumnType<Record<string, string>, string | undefined, string>;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

interface SecretRow {
  id: string;
  account_id: string;
  digest: Buffer;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

interface SettingRow {
  provider: string;
  environment: string;
  name: string;
  sealed: string;
  updated_at: Generated<Date>;
}

interface SwitchRow {
  provider: string;
  enabled: boolean;
}

interface ListingRow {
  provider: string;
  environment: string;
  /** Where it was fetched from: a stand-in's listings must never serve a real line. */
  origin: string;
  body: ColumnType<unknown, string, string>;
  fetched_at: Date;
}

interface TransactionRow {
  id: string;
  account_id: string;
  environment: string;
  provider: string;
  side: string;
  method: string;
  country: string;
  status: string;
  created_at: Generated<Date>;
}

interface TaskRow {
  kind: string;
  key: string;
  due_at: Date;
  leased_until: Date | null;
  attempts: Generated<number>;
}
