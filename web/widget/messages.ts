/** Messages: what the widget tells the page around it. Typed, versioned, and to one exact origin. */
import type { Side, TransactionStatus } from '../../client/src/index.ts';

/** All have `source` and `version`; nothing in them is personal beyond the order's own id. */
export type WidgetMessage = Envelope & WidgetEvent;

export interface Envelope {
  source: 'cloverleaf';
  version: 1;
}

export type WidgetEvent =
  /** The widget can be used. */
  | { type: 'ready' }
  /** How tall it would like to be, in pixels. */
  | { type: 'resize'; height: number }
  /**
   * A round of prices is complete. Amounts are decimal text: `amount` of what is handed over or of what is received,
   * as `input` says. `best` is missing when nobody offered.
   */
  | {
      type: 'quote';
      side: Side;
      fiat: string;
      crypto: string;
      amount: string;
      input: 'source' | 'destination';
      paymentMethod: string;
      offers: number;
      best?: { onramp: string; pays: string; payout: string };
    }
  /** An order was made; its page is shown. */
  | { type: 'checkout'; transactionId: string; onramp: string; side: Side }
  /** The order has come to another status. */
  | { type: 'status'; transactionId: string; status: TransactionStatus }
  /** Money and coins have changed hands. */
  | { type: 'completed'; transactionId: string }
  /** The person has left the order, done or not. */
  | { type: 'closed'; transactionId?: string }
  /** Something failed; the widget shows a way on by itself. */
  | { type: 'error'; kind: string; message: string }
  /** A parameter was left aside. */
  | { type: 'warning'; parameter: string; message: string };

const EVENT_TYPES = [
  'ready',
  'resize',
  'quote',
  'checkout',
  'status',
  'completed',
  'closed',
  'error',
  'warning',
] as const satisfies readonly WidgetEvent['type'][];

export function seal(event: WidgetEvent): WidgetMessage {
  return { source: 'cloverleaf', version: 1, ...event };
}

/** The message, when it is one of ours and of a kind we know. */
export function readMessage(data: unknown): WidgetMessage | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { source, version, type } = data as Record<string, unknown>;
  const isOurs = source === 'cloverleaf' && version === 1 && EVENT_TYPES.some(one => one === type);
  return isOurs ? (data as WidgetMessage) : undefined;
}
