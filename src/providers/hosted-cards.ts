/** Cards as the hosted pages take them: which are well written, and what comes of paying with each. */
import type { Instant } from '../domain/words.ts';
import type { Brand, CardOutcome } from './hosted.ts';

/** The cards every stand-in knows; any other that is well written is approved at once. */
const CARDS: Brand['cards'] = {
  '4242424242424242': { outcome: 'secure' },
  '4000000000000002': { outcome: 'declined' },
};

export interface Card {
  number: string;
  expiry: string;
  code: string;
}

/** What is wrong with how it is written; undefined when nothing is. */
export function flawOfCard({ number, expiry, code }: Card, now: Instant): string | undefined {
  if (!/^\d{12,19}$/.test(digitsOf(number)) || !hasRightSum(digitsOf(number))) {
    return 'The card number is not right';
  }
  const [, month = '', year = ''] = /^(0[1-9]|1[0-2]) ?\/ ?(?:20)?(\d\d)$/.exec(expiry) ?? [];
  if (!month || `20${year}-${month}` < new Date(now).toISOString().slice(0, 7)) {
    return 'The expiry date is not right, or it has passed';
  }
  return /^\d{3,4}$/.test(code) ? undefined : 'The security code is not right';
}

export function outcomeOf({ number, code }: Card, brand: Brand): CardOutcome {
  const known = brand.cards[digitsOf(number)] ?? CARDS[digitsOf(number)];
  return known?.badCode === code ? 'declined' : (known?.outcome ?? 'approved');
}

export function digitsOf(number: string): string {
  return number.replace(/[\s-]/g, '');
}

/** Luhn's check digit. */
function hasRightSum(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = '0123456789'.indexOf(digit) * (at % 2 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}
