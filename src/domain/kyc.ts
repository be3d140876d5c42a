/** What a provider asks of a person to know them, by amount. */
import type { Amount } from './money.ts';
import { member } from './words.ts';

export type Document =
  | 'email'
  | 'phone'
  | 'identity'
  | 'address'
  | 'selfie'
  | 'passport'
  | 'driverLicense'
  | 'nationalIdentityCard'
  | 'residenceCard'
  | 'proofOfAddress'
  | 'bankAccount';

/** One thing asked for, or several of which one suffices. */
export type Requirement = Document | readonly Document[];

export interface KycTier {
  /** Highest amount the tier covers, by fiat code; absent on the last tier, which covers everything. */
  upTo?: Readonly<Record<string, string>>;
  asks: readonly Requirement[];
}

/** What is asked at an amount. A fiat the tier does not name is taken to be above it: never promise too little. */
export function asksAt(tiers: readonly KycTier[], fiatCode: string, amount: Amount): readonly Requirement[] {
  const tier = tiers.find(({ upTo }) => {
    if (!upTo) return true;
    const limit = member(upTo, fiatCode);
    return limit !== undefined && amount.lte(limit);
  });
  return tier?.asks ?? [];
}
