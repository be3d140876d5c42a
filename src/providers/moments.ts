/** Moments: how providers write them, read as instants. */
import type { Instant } from '../domain/words.ts';

/** Reads whole seconds since 1970; anything else is no moment, a count of milliseconds among it. */
export function readSeconds(text: string | null | undefined): Instant | undefined {
  return text && /^\d{1,12}$/.test(text) ? Number(text) * 1000 : undefined;
}

/** Reads milliseconds since 1970, thirteen digits of them. */
export function readMilliseconds(text: string | null | undefined): Instant | undefined {
  return text && /^\d{13}$/.test(text) ? +text : undefined;
}

const WITH_ZONE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(?:Z|\+00:?00)$/;
const WITHOUT_ZONE = /^(\d{4}-\d\d-\d\d) ?(\d\d:\d\d:\d\d)$/;

/**
 * Reads `2025-01-01T10:00:00.000Z` (its zone may be `+00:00`), or `2025-01-01 10:00:00` (its blank may be lost) as UTC,
 * whatever our own zone.
 */
export function readUtc(text: string | null | undefined): Instant | undefined {
  if (!text) return undefined;
  const zoned = text.replace(WITHOUT_ZONE, '$1T$2Z');
  const [, moment] = WITH_ZONE.exec(zoned) ?? [];
  const at = moment === undefined ? Number.NaN : Date.parse(`${moment}Z`);
  return Number.isNaN(at) ? undefined : at;
}
