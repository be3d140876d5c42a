/** Proof: whether a webhook is its provider's. One verifier for every scheme; adapters only say what was signed how. */
import type { Claim } from '../providers/contract.ts';
import { isSigned } from './sign.ts';

/** How far a signed moment may be from now, either way. */
const TOLERANCE_MS = 300_000;
/** More claims than any scheme has mean that somebody is trying. */
const MOST_CLAIMS = 4;

export interface ProofOptions {
  now: number;
  /** Every value a secret or public key has at present; none when it is not set, and then nothing is proven. */
  secrets(name: string): readonly string[];
}

export function isProven(claims: readonly Claim[], { now, secrets }: ProofOptions): boolean {
  if (claims.length > MOST_CLAIMS) return false;
  return claims.some(({ how, secret, signed, signature, at }) => {
    if (at !== undefined && !(Math.abs(now - at) <= TOLERANCE_MS)) return false;
    return secrets(secret).some(key => key !== '' && isSigned(how, key, signed, signature));
  });
}
