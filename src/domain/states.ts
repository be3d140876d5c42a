/** States of the United States, and what counts as one where addresses are written. */
import type { StateCode } from './words.ts';

const CODES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI ' +
  'SC SD TN TX UT VT VA WA WV WI WY AS GU MP PR VI';

export const STATES: ReadonlySet<string> = new Set(CODES.split(' '));

/** A state by its two letters, all small or all capital as they are written everywhere; undefined for anything else. */
export function findState(word: string): StateCode | undefined {
  const code = /^([a-z]{2}|[A-Z]{2})$/.test(word) ? word.toUpperCase() : '';
  return STATES.has(code) ? (code as StateCode) : undefined;
}
