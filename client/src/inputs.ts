/** What callers give, checked before anything is sent. */
import { badInput } from './error.ts';

/** Empty or dots, which make another path of it, or half a character, which cannot be written at all. */
const NO_PART = /^\.{0,2}$|\p{Surrogate}/u;

/** One part of a path, written so that it stays one. */
export function pathPart(field: string, text: string): string {
  if (typeof text === 'string' && !NO_PART.test(text)) return encodeURIComponent(text);
  throw badInput(field, `${field} must be a code or an id`);
}

/** Any text, written so that it can stand in another. */
export function encodedText(field: string, text: string): string {
  if (!/\p{Surrogate}/u.test(text)) return encodeURIComponent(text);
  throw badInput(field, `${field} must not hold half a character`);
}

/** A moment as the service reads it. */
export function momentText(field: string, moment: Date | string | undefined): string | undefined {
  if (!(moment instanceof Date)) return moment;
  if (Number.isNaN(moment.getTime())) throw badInput(field, `${field} must be a moment in time`);
  return moment.toISOString();
}

/** What can stand in a header as it is. */
const CREDENTIAL = /^[\x21-\x7e]*$/;

/** A key or a secret, where there is one. */
export function credentialText(field: 'key' | 'secret', text: string | undefined): string | undefined {
  if (text === undefined || (typeof text === 'string' && CREDENTIAL.test(text))) return text;
  throw badInput(field, `${field} must be printable ASCII characters without spaces`);
}

/** What the service takes for an idempotency key. */
const KEY = /^[\x20-\x7e]{1,255}$/;

export function keyText(key: string): string {
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw badInput('idempotencyKey', 'idempotencyKey must be 1 to 255 printable ASCII characters');
}
