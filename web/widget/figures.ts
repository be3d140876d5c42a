/** Figures: amounts as people of a language read them, exact to the last digit. */

/** A currency as far as its figures need it. */
export interface Unit {
  code: string;
  /** Places of a fiat; coins are shown with as many as the amount has. */
  decimals: number;
  isFiat: boolean;
}

export interface Figures {
  /** With its currency: `100,00 €`, `0,0015 BTC`. */
  sum(amount: string, unit: Unit): string;
  /** The price of one coin in a fiat, however little that is: as many digits as tell something, or all places of the fiat. */
  rate(amount: string, fiat: Unit): string;
  /** Hundredths of a percent as a percentage. */
  percent(hundredths: number): string;
  /** Coins with at most so many digits that tell something: enough to compare by, and never more than is received. */
  received(amount: string, unit: Unit): string;
  /** The same, and never less than is paid. */
  paid(amount: string, unit: Unit): string;
}

const TELLING_DIGITS = 6;
const MOST_PLACES = 18;

export function createFigures(language: string): Figures {
  // Arabic figures are written in digits of its own by some and in European ones by others; money is the latter.
  const locale = language === 'ar' ? 'ar-u-nu-latn' : language;
  const cache = new Map<string, Intl.NumberFormat>();
  const format = (options: Intl.NumberFormatOptions) => {
    const key = JSON.stringify(options);
    const known = cache.get(key) ?? new Intl.NumberFormat(locale, options);
    cache.set(key, known);
    return known;
  };
  // Decimal text goes in as it is; no digit passes through a float.
  const write = (options: Intl.NumberFormatOptions, amount: string) =>
    format(options).format(amount as Intl.StringNumericLiteral);

  /** As many places as there are: parts that are rounded do not add up. */
  function fiat(amount: string, { code, decimals }: Unit): string {
    const isWhole = !amount.includes('.') || /\.0*$/.test(amount);
    const places = { minimumFractionDigits: isWhole ? 0 : decimals, maximumFractionDigits: MOST_PLACES };
    return money(code, places, amount);
  }

  /** It runs from left to right where words do not, as coins do and the fields it was typed into; the marks of Arabic would turn it within a line. */
  function money(code: string, places: Intl.NumberFormatOptions, amount: string): string {
    const text = write({ style: 'currency', currency: code, ...places }, amount);
    return language === 'ar' ? `\u2066${text.replaceAll('\u200f', '')}\u2069` : text;
  }

  // A coin's code stands behind its amount in every language; a mark keeps them in that order.
  const coin = (figure: string, code: string) => `\u2068${figure}\u00a0${code}\u2069`;

  function short(amount: string, unit: Unit, roundingMode: 'trunc' | 'expand'): string {
    if (unit.isFiat) return fiat(amount, unit);
    const digits = { maximumSignificantDigits: significant(amount), roundingMode };
    return coin(write(digits, amount), unit.code);
  }

  return {
    sum: (amount, unit) =>
      unit.isFiat
        ? fiat(amount, unit)
        : coin(write({ maximumFractionDigits: MOST_PLACES }, amount), unit.code),
    percent: hundredths =>
      format({ style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 2 }).format(
        hundredths / 10_000,
      ),
    rate: (amount, { code, decimals }) => {
      const [whole = ''] = amount.split('.');
      const most = Math.max(decimals, TELLING_DIGITS - whole.length);
      const digits =
        whole === '0'
          ? { maximumSignificantDigits: TELLING_DIGITS }
          : { minimumFractionDigits: decimals, maximumFractionDigits: most };
      return money(code, digits, amount);
    },
    received: (amount, unit) => short(amount, unit, 'trunc'),
    paid: (amount, unit) => short(amount, unit, 'expand'),
  };
}

/** Whole digits are all kept. */
function significant(amount: string): number {
  const [whole = ''] = amount.split('.');
  return Math.max(TELLING_DIGITS, whole === '0' ? 0 : whole.length);
}
