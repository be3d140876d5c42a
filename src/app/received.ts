/** What was received: a delivery as it came, what it says, and what is kept of it. */
import { parseJson, writeJson } from '../domain/json.ts';
import type { Delivery, Notice, Webhook } from '../providers/contract.ts';
import type { Incoming } from '../store/inbox.ts';

export interface Received {
  headers: Readonly<Record<string, string>>;
  /** The path that the provider sent it to, and the query string after it. */
  path: string;
  search: string;
  raw: Buffer;
}

/** Its text and what it says are read when somebody looks: for most forgeries nobody does. */
export function deliveryOf({ headers, path, search, raw }: Received): Delivery {
  let text: string | undefined;
  let body: { json: unknown } | undefined;
  return {
    headers,
    path,
    search,
    raw,
    get text() {
      text ??= raw.toString('utf8');
      return text;
    },
    get body() {
      body ??= { json: jsonIn(this.text) };
      return body.json;
    },
  };
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** What it says, whatever stands around that: nothing when it is about nothing of ours, undefined when it cannot be read. */
export function noticesIn(webhook: Webhook, delivery: Delivery): Notice[] | undefined {
  try {
    return webhook.read(delivery);
  } catch {
    return undefined;
  }
}

/** What is kept of it: as much as the adapter says where it tells of the person, and no header then. */
export function contentOf(
  webhook: Webhook,
  delivery: Delivery,
  { headers, path, search, raw }: Received,
): Pick<Incoming, 'headers' | 'body'> {
  if (!webhook.kept) return { headers: JSON.stringify({ headers, path, search }), body: raw };
  const bare = { headers: {}, path, search: '' };
  return { headers: JSON.stringify(bare), body: Buffer.from(keptIn(webhook, delivery)) };
}

/** Nothing where the adapter cannot say: it is parked all the same, and a person knows that it came. */
function keptIn(webhook: Webhook, delivery: Delivery): string {
  try {
    return writeJson(webhook.kept?.(delivery) ?? null);
  } catch {
    return '';
  }
}
