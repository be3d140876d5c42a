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

export function deliveryOf(received: Received): Delivery {
  return new UnreadDelivery(received);
}

/**
 * Its text and what it says are read when somebody looks: for most forgeries nobody does. A class, for V8 makes a shape of its
 * own for each plain object that has getters, and that shape keeps all of it alive until memory is gone through as a whole.
 */
class UnreadDelivery implements Delivery {
  readonly headers: Received['headers'];
  readonly path: string;
  readonly search: string;
  readonly raw: Buffer;
  #text: string | undefined;
  #body: { json: unknown } | undefined;

  constructor({ headers, path, search, raw }: Received) {
    this.headers = headers;
    this.path = path;
    this.search = search;
    this.raw = raw;
  }

  get text(): string {
    this.#text ??= this.raw.toString('utf8');
    return this.#text;
  }

  get body(): unknown {
    this.#body ??= { json: jsonIn(this.text) };
    return this.#body.json;
  }
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
