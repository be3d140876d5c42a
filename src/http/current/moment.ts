/** Moments: ISO 8601 as clients write it, read in one way only. */
import { badInput } from '../../domain/fault.ts';
import type { Instant } from '../../domain/words.ts';

/** A moment in ISO 8601 with its time and its zone. What is finer than milliseconds counts towards the next one. */
export function readMoment(field: string, text: string): Date {
  const moment = parseMoment(text);
  if (moment !== undefined && moment >= FIRST_MOMENT && moment <= LAST_MOMENT) return new Date(moment);
  throw badInput(field, `${field} must be a date and time with its zone, such as 2026-01-31T12:00:00Z`);
}

const DATE = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2})(?::([0-9]{2})(?:\.([0-9]{1,9}))?)?/;
/** A plus that was not encoded arrives as a blank; nothing else could have been meant. */
const ZONE = /^(?:Z|([+ -])(0[0-9]|1[0-4]):([0-5][0-9]))$/;
/** The first moment of year 1, which some languages write for no moment at all. */
const FIRST_MOMENT = -62_135_596_800_000;
const LAST_MOMENT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const MINUTE_MS = 60_000;

function parseMoment(text: string): Instant | undefined {
  const date = DATE.exec(text);
  const zone = ZONE.exec(text.slice(date?.[0].length));
  if (!date || !zone) return undefined;
  const [year, month, day, hour, minute, second] = date.slice(1, 7).map(part => Number(part ?? 0)) as Six;
  const local = new Date(0);
  // Not `Date.UTC`: it takes the first hundred years for those from 1900.
  local.setUTCFullYear(year, month - 1, day);
  local.setUTCHours(hour, minute, second);
  // The calendar rolls over what it does not have; then it is not what was written.
  if (local.toISOString().slice(0, 16) !== text.slice(0, 16)) return undefined;
  const fraction = (date[7] ?? '').padEnd(9, '0');
  const ms = Number(fraction.slice(0, 3)) + (/[1-9]/.test(fraction.slice(3)) ? 1 : 0);
  const [, sign, hours, minutes] = zone;
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS;
  return local.getTime() + ms - (sign === '-' ? -offset : offset);
}

type Six = [number, number, number, number, number, number];
