/** Heads of answers, as Node takes them and as they stand on the wire. */

export interface Head {
  /** Names and values in turn. */
  list: readonly string[];
  text: string;
}

export function headOf(list: readonly string[]): Head {
  return { list, text: linesOf(list) };
}

/** Headers as lines, each with its end. */
export function linesOf(list: readonly string[]): string {
  let text = '';
  for (let at = 0; at < list.length; at += 2) text += `${list[at]}: ${list[at + 1]}\r\n`;
  return text;
}

/** The `Date` of an answer, worded once a second. */
export function createDates(now: () => number): () => string {
  let second = Number.NaN;
  let text = '';
  return () => {
    const current = Math.floor(now() / 1_000);
    if (current !== second) {
      second = current;
      text = new Date(second * 1_000).toUTCString();
    }
    return text;
  };
}
