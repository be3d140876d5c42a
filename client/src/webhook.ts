/** Webhooks as they arrive: proven to be the service's by the bytes they came in, then read. */
import { badInput, CloverleafError } from './error.ts';
import { parseExact } from './exact.ts';
import type { Amount, TransactionRecord } from './types.ts';

export interface WebhookDelivered {
  /** Exactly what was received: JSON that was parsed and written again has another signature. */
  body: string | Uint8Array | ArrayBuffer;
  headers: WebhookHeaders;
  /** `whsec_…`; several while one replaces another. */
  secret: string | readonly string[];
  /** Milliseconds since 1970; the present when nothing is said. */
  now?: number | undefined;
  /**
   * `standard` proves who sent it, what and when. `hex` is for receivers behind something that passes on nothing but the
   * older `X-Onramper-Webhook-Signature`: it covers the body alone, so that an old request can be sent again by anybody who has seen it.
   */
  signature?: 'standard' | 'hex' | undefined;
}

/** Those of `fetch`, or those of `node:http`. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

interface Told {
  /** The same over all attempts: an event can arrive more than once. Empty with the older signature, which does not cover it. */
  id: string;
}

export type WebhookEvent =
  | (Told & {
      kind: 'transaction';
      /** Which change of its transaction this is: let no lower one change what a higher one said. 0 with the older signature. */
      sequence: number;
      transaction: TransactionRecord;
    })
  | (Told & { kind: 'transactionCompleted'; payload: CompletedPurchase })
  | (Told & { kind: 'test'; message: string });

/** What the earlier surface tells of a purchase that was made there. */
export interface CompletedPurchase {
  txId: string;
  gatewayIdentifier: string;
  /** Milliseconds since 1970. */
  timestamp: number;
  inCurrency: string;
  inAmount: Amount;
  outCurrency: string;
  outAmount: Amount;
  medium: string;
  partnerContext: unknown;
}

/** The event, when it is signed with a secret of ours, unaltered and from the last five minutes; throws `unverified` otherwise. */
export async function verifyWebhook(delivered: WebhookDelivered): Promise<WebhookEvent> {
  const { headers, secret, signature = 'standard' } = delivered;
  const secrets = typeof secret === 'string' ? [secret] : (secret ?? []);
  // A receiver without its secret must not take everything for true.
  if (secrets.length === 0 || secrets.some(one => !one))
    throw unverified('there is no secret to check it with');
  const body = bytesOf(delivered.body);
  if (signature === 'standard') return readEvent(body, await checkStandard(body, delivered, secrets));
  await checkHex(body, headerOf(headers, 'x-onramper-webhook-signature'), secrets);
  return readEvent(body, '');
}

function bytesOf(body: WebhookDelivered['body']): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  throw badInput(
    'body',
    'body must be the text or the bytes that were received, not what was parsed of them',
  );
}

const WINDOW_SECONDS = 300;
/** A sender has two secrets at most; whoever sends hundreds wants us busy. */
const MOST_SIGNATURES = 8;

/** The id, which is signed like the body. */
async function checkStandard(
  body: Uint8Array,
  delivered: WebhookDelivered,
  secrets: readonly string[],
): Promise<string> {
  const { headers, now = Date.now() } = delivered;
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const sent = headerOf(headers, 'webhook-signature');
  if (!id || !timestamp || !sent) throw unverified('it is not signed');
  if (!/^\d{1,12}$/.test(timestamp)) throw unverified('its time cannot be read');
  if (Math.abs(now / 1_000 - Number(timestamp)) > WINDOW_SECONDS)
    throw unverified('it is not of the last five minutes');
  const head = new TextEncoder().encode(`${id}.${timestamp}.`);
  const signed = new Uint8Array(head.length + body.length);
  signed.set(head);
  signed.set(body, head.length);
  const signatures = sent
    .split(' ')
    .filter(one => one.startsWith('v1,'))
    .slice(0, MOST_SIGNATURES)
    .map(one => fromBase64(one.slice(3)));
  await checkHmac(signed, signatures, secrets.map(secretBytes));
  return id;
}

async function checkHex(body: Uint8Array, sent: string | undefined, secrets: readonly string[]) {
  if (!sent || !/^[0-9a-f]{64}$/.test(sent)) throw unverified('it is not signed');
  const signature = Uint8Array.from(sent.match(/../g) ?? [], pair => Number.parseInt(pair, 16));
  const keys = secrets.map(secret => new TextEncoder().encode(secret));
  await checkHmac(body, [signature], keys);
}

/** The platform compares, in the same time whatever differs. */
async function checkHmac(
  signed: Uint8Array,
  signatures: readonly (Bytes | undefined)[],
  keys: readonly Bytes[],
): Promise<void> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  let isProven = false;
  for (const bytes of keys) {
    const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
    for (const signature of signatures) {
      if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed as Bytes))) isProven = true;
    }
  }
  if (!isProven) throw unverified('its signature is not of our secret');
}

/** Bytes that lie in memory of their own, as the platform wants them. */
type Bytes = Uint8Array<ArrayBuffer>;

function secretBytes(secret: string): Bytes {
  const bytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (!bytes?.length) throw unverified('the secret is none: it starts with whsec_');
  return bytes;
}

function fromBase64(text: string): Bytes | undefined {
  try {
    return Uint8Array.from(atob(text), char => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function readEvent(body: Uint8Array, id: string): WebhookEvent {
  try {
    return parseEvent(new TextDecoder().decode(body), id);
  } catch (cause) {
    throw new CloverleafError('failed', 'The webhook is not what the service sends', { cause });
  }
}

function parseEvent(text: string, id: string): WebhookEvent {
  const told = parseExact(text) as Record<string, unknown>;
  if (told.type === 'test') return { kind: 'test', id, message: String(told.message) };
  if (told.type === 'transaction_completed')
    return { kind: 'transactionCompleted', id, payload: readCompleted(told, text) };
  const sequence = Number(/-(\d{1,9})$/.exec(id)?.[1] ?? 0);
  return { kind: 'transaction', id, sequence, transaction: told as unknown as TransactionRecord };
}

/** The context is the receiver's own: its numbers are not our money, and stay as they were. */
function readCompleted(told: Record<string, unknown>, text: string): CompletedPurchase {
  const payload = told.payload as CompletedPurchase;
  const { partnerContext } = (JSON.parse(text) as { payload: CompletedPurchase }).payload;
  return { ...payload, timestamp: Number(payload.timestamp), partnerContext };
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined;
  const plain = headers as Readonly<Record<string, string | readonly string[] | undefined>>;
  const value = plain[name] ?? Object.entries(plain).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : value?.[0];
}

function unverified(why: string): CloverleafError {
  return new CloverleafError('unverified', `The webhook is not accepted: ${why}`);
}
