/** Plain words: what of a provider's texts may be kept, so that none of it can harm a row, a page or a log. */
import { Type } from 'typebox';

/** A provider's id of something; it may stand in a path. */
export const Id = Type.String({ pattern: '^[A-Za-z0-9_-]{1,100}$' });

/** A provider's word for where an order stands. */
export const Word = Type.String({ pattern: '^[A-Za-z0-9_]{1,60}$' });

/** A reference, a hash or an address, whole or not at all; providers write `null`, `false` and `""` for none. */
export function wordIfAny(value: unknown): string | undefined {
  return typeof value === 'string' && /^[!-~]{1,200}$/.test(value) ? value : undefined;
}

/** Where coins are to be sent, whole or not at all: without the memo that belongs to an address they would be lost. */
export function placeIfAny(
  address: unknown,
  memo: unknown,
): { address: string; memo: string | undefined } | undefined {
  const [place, beside] = [wordIfAny(address), wordIfAny(memo)];
  const isLost = Boolean(memo) && beside === undefined;
  return place === undefined || isLost ? undefined : { address: place, memo: beside };
}

/** The reason a provider gives, on one short line. */
export function reasonIfAny(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const line = value.slice(0, 200).replace(/[\p{Cc}\p{Cf}\p{Cs}\s]+/gu, ' ');
  return line.trim() || undefined;
}
