/** Headers of a response: found well-formed as a whole, and looked for one at a time, since hardly any is ever asked for. */
import { remembered } from '../domain/remembered.ts';

export interface Headers {
  /** What was sent under a name, which is given in lower case; all of it where that was more than once. */
  get(name: string): string | undefined;
}

export const NO_HEADERS: Headers = { get: () => undefined };

/** `head` is all that came before the body: each header stands behind the end of a line. */
export function headersIn(head: string): Headers {
  // Letters of one byte stay one letter each.
  const lower = head.toLowerCase();
  return {
    get(name) {
      const label = labelOf(name);
      let found: string | undefined;
      for (let at = lower.indexOf(label); at >= 0; at = lower.indexOf(label, at + label.length)) {
        const start = at + label.length;
        const end = lower.indexOf('\r\n', start);
        const value = trimmed(head, start, end < 0 ? head.length : end);
        found = found === undefined ? value : `${found}, ${value}`;
      }
      return found;
    },
  };
}

/** Names that are looked for, as they stand before their values; they are few, and always the same. */
const labelOf = remembered(name => `\r\n${name}:`);

function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to];
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (start < end && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(char: number): boolean {
  return char === 32 || char === 9;
}
