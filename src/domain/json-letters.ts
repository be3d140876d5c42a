/** JSON letter by letter: where its numbers and its texts end. */

export const QUOTE = 34;
export const COLON = 58;
const BACKSLASH = 92;
const POINT = 46;
const ZERO = 48;

/** The index after the number that begins at `start`; most are digits, perhaps with a point between them. Throws SyntaxError. */
export function endOfNumber(text: string, start: number): number {
  const point = endOfDigits(text, start);
  const end = text.charCodeAt(point) === POINT ? endOfDigits(text, point + 1) : point;
  const isPlain = point > start && end !== point + 1 && !continuesNumber(text.charCodeAt(end));
  if (isPlain && (text.charCodeAt(start) !== ZERO || point === start + 1)) return end;
  return endOfAnyNumber(text, start);
}

function endOfDigits(text: string, start: number): number {
  let at = start;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

function endOfAnyNumber(text: string, start: number): number {
  let at = start;
  while (continuesNumber(text.charCodeAt(at))) at++;
  const token = text.slice(start, at);
  if (!JSON_NUMBER.test(token)) throw new SyntaxError(`not a JSON number: ${token.slice(0, 40)}`);
  return at;
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** The index of the quote that ends the string which opens at `start`; -1 when it never closes. */
export function closingQuote(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
  return -1;
}

export function isSpace(char: number): boolean {
  return char === 32 || char === 10 || char === 13 || char === 9;
}

export function startsNumber(char: number): boolean {
  return char === 45 || isDigit(char);
}

function isDigit(char: number): boolean {
  return char >= ZERO && char <= 57;
}

/** Digits, and the `+ - . e E` a number may hold. */
function continuesNumber(char: number): boolean {
  return isDigit(char) || char === POINT || char === 43 || char === 45 || char === 101 || char === 69;
}
