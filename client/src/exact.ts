/** Exact numbers: JSON whose money is read and written as decimal text, without passing through a float. */
import { badInput } from './error.ts';
import { type Amount, type AmountInput, INTEGERS } from './types.ts';

/** A whole string, which is passed over, or a number that is not a key. */
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?!\s*:)/g;
/** Tells a number from a string that looks like one: the service's texts hold no NUL. */
const MARK = '\0';

/** Parses JSON so that whole numbers that are counted are numbers, and all others the text they were written in. */
export function parseExact(text: string): unknown {
  const marked = text.replace(TOKEN, token => (token.startsWith('"') ? token : `"\\u0000${token}"`));
  return JSON.parse(marked, (key, value: unknown) => {
    if (typeof value !== 'string' || !value.startsWith(MARK)) return value;
    const number = value.slice(MARK.length);
    return INTEGERS.has(key) ? Number(number) : number;
  });
}

/** Writes a body whose `amount` becomes a JSON number with every digit it was given. */
export function writeExact({ amount, ...rest }: { amount: AmountInput } & Record<string, unknown>): string {
  const others = JSON.stringify(rest).slice(1, -1);
  return `{"amount":${amountText(amount)}${others && ','}${others}}`;
}

const PLAIN = /^(0|[1-9]\d*)(\.\d+)?$/;
const LONGEST = 64;

/** Decimal text as the service takes it; what is none is refused before it is sent. */
export function amountText(amount: AmountInput): Amount {
  const text = typeof amount === 'number' ? withoutExponent(String(amount)) : amount;
  if (typeof text === 'string' && text.length <= LONGEST && PLAIN.test(text)) return text;
  throw badInput('amount', 'amount must be a decimal number such as 100 or 0.5');
}

/** Numbers below a millionth and from 10^21 print themselves with an exponent. */
function withoutExponent(text: string): string {
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const shift = Number(exponent);
  if (shift < 0) return `0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
  return whole + fraction.padEnd(shift, '0');
}
