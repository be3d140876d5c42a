/** The tables, as TypeScript sees them; the migrations say what they are. */
import type { ColumnType, Generated } from 'kysely';

export interface Tables {
  accounts: AccountRow;
  account_secrets: SecretRow;
  provider_settings: SettingRow;
  provider_switches: SwitchRow;
  listings: ListingRow;
  account_signers: SignerRow;
  transactions: TransactionRow;
  notices: NoticeRow;
  entries: EntryRow;
  idempotency_keys: IdempotencyRow;
  provider_tokens: TokenRow;
  inbox: InboxRow;
  endpoints: EndpointRow;
  events: EventRow;
  deliveries: DeliveryRow;
  tasks: TaskRow;
  flows: FlowRow;
  provider_instances: InstanceRow;
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
  /** Web origins that may frame the account's pay pages and call for it from a browser. */
  origins: Generated<string[]>;
  /** Hosts a person may be sent back to. */
  redirect_hosts: Generated<string[]>;
  /** Whether checkouts must be signed. */
  signed_checkouts: Generated<boolean>;
  created_at: Generated<Date>;
  revoked_at: Date | null;
  /** For how many days after its end a transaction tells of people; null for ever. */
  retention_days: number | null;
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

export interface TransactionRow {
  id: string;
  session_id: string;
  account_id: string;
  environment: string;
  /** Which surface it was made on: `current` or `earlier`. */
  origin: string;
  provider: string;
  side: string;
  fiat: string;
  asset: string;
  method: string;
  country: string;
  /** The currencies in the client's own words, lower-cased. */
  source: string;
  target: string;
  amount: string;
  /** The price that was promised: amounts as text. */
  offer: ColumnType<unknown, string, string>;
  /** The provider's words for what was ordered. */
  native: ColumnType<unknown, string, string>;
  wallet_address: string;
  wallet_memo: string | null;
  partner_context: string;
  uuid: string | null;
  originating_host: string | null;
  /** Web origins, with blanks between them, of the pages around the widget that it was made in. */
  around: string | null;
  theme: ColumnType<unknown, string, string>;
  /** Where the person goes when it is done. */
  return_to: string | null;
  sign_nonce: string | null;
  created_at: Date;
  expires_at: Date;
  /** Whether the client was given its page: until then nobody can go on with it. */
  ready: boolean;
  /** When the provider was first asked, or the person sent to it; and when the person was. */
  opened_at: Date | null;
  visited_at: Date | null;
  /** The provider's page, sealed, where it cannot be made anew. */
  page: string | null;
  status: string;
  status_at: Date;
  reason: Generated<string>;
  theirs: Generated<string>;
  hash: Generated<string>;
  paid: string | null;
  received: string | null;
  deposit: ColumnType<unknown, string | null, string | null>;
  contradicted: Generated<boolean>;
  sequence: Generated<number>;
  /** What opens the provider's order, sealed. */
  access: string | null;
  /** When the provider was last asked about it, where anybody may have us ask. */
  looked_at: Date | null;
  bank: ColumnType<unknown, string | null, string | null>;
  /** Whether the partner's context was an object; its text is JSON then. */
  context_is_object: Generated<boolean>;
  /** The sequence number at which what tells of people was erased: where another is reached, there may be more. */
  erased_sequence: number | null;
}

export interface EntryRow {
  transaction_id: string;
  status: string;
  account_id: string;
  at: Date;
  sequence: number;
  reason: string;
  theirs: string;
  hash: string;
  paid: string | null;
  received: string | null;
}

interface SignerRow {
  id: string;
  account_id: string;
  kind: string;
  material: string;
  created_at: Generated<Date>;
  revoked_at: Date | null;
}

interface NoticeRow {
  transaction_id: string;
  key: string;
  said: ColumnType<unknown, string, never>;
  heard_at: Date;
}

interface IdempotencyRow {
  account_id: string;
  key: string;
  digest: Buffer;
  transaction_id: string;
  answer: string | null;
  refusal: string | null;
  leased_until: Date | null;
  created_at: Date;
}

interface TokenRow {
  provider: string;
  environment: string;
  origin: string;
  sealed: string;
  until: Date;
  previous: string | null;
}

interface InboxRow {
  id: Generated<string>;
  provider: string;
  environment: string;
  digest: Buffer;
  /** The headers that its proof and its meaning rest on, as JSON. */
  headers: string;
  /** Erased when it has been dealt with. */
  body: Buffer | null;
  received_at: Generated<Date>;
  state: Generated<string>;
  due_at: Generated<Date>;
  attempts: Generated<number>;
  reason: Generated<string>;
}

interface EndpointRow {
  id: string;
  account_id: string;
  url: string;
  /** Sealed. */
  secret: string;
  previous_secret: string | null;
  created_at: Date;
  disabled_at: Date | null;
  disabled_reason: Generated<string>;
}

interface EventRow {
  id: string;
  account_id: string;
  transaction_id: string;
  sequence: number;
  body: string;
  created_at: Date;
}

interface DeliveryRow {
  event_id: string;
  endpoint_id: string;
  state: Generated<string>;
  due_at: Date;
  leased_until: Date | null;
  attempts: Generated<number>;
  last_status: number | null;
  last_error: Generated<string>;
  done_at: Date | null;
}

interface TaskRow {
  kind: string;
  key: string;
  due_at: Date;
  leased_until: Date | null;
  attempts: Generated<number>;
}

interface FlowRow {
  transaction_id: string;
  /** Grows with every step that was taken. */
  turn: number;
  /** The step the person is at, sealed. */
  step: string | null;
  /** What we asked the person ourselves, sealed. */
  answers: string | null;
  /** Web origin of the page that shows the steps, when it is known. */
  embedder: string | null;
  /** Web origin of the page that frames that one, where it says so. */
  around: string | null;
  leased_until: Date | null;
  created_at: Date;
  expires_at: Date;
}

interface InstanceRow {
  id: string;
  protocol: string;
  name: string;
  api_url: string;
  pages_url: string;
  created_at: Generated<Date>;
}
