/** What of a provider's words is taken for an order's, and how. */
import { describe, expect, it } from 'vitest';
import type { Notice } from '../providers/contract.ts';
import { goesThere } from './notices.ts';

const notice = (wallet?: string): Notice => ({ word: 'done', wallet });
const buy = (walletAddress: string) => ({ side: 'buy' as const, walletAddress });

describe('a notice that says where coins go', () => {
  it('is about an order to the same wallet', () => {
    expect(goesThere(notice('bc1qxyz'), buy('bc1qxyz'))).toBe(true);
    expect(goesThere(notice('0xABcd'), buy('0xabCD'))).toBe(true);
  });

  it('is not about an order to another', () => {
    expect(goesThere(notice('bc1qother'), buy('bc1qxyz'))).toBe(false);
    expect(goesThere(notice('0xabce'), buy('0xabcd'))).toBe(false);
    // Where capitals count, they count.
    expect(goesThere(notice('7vfCXTUX'), buy('7vfcxtux'))).toBe(false);
  });

  it('says nothing where it names none, the order has none, or coins come in', () => {
    expect(goesThere(notice(), buy('bc1qxyz'))).toBe(true);
    expect(goesThere(notice('bc1qxyz'), buy(''))).toBe(true);
    expect(goesThere(notice('bc1qxyz'), { side: 'sell', walletAddress: 'bc1qother' })).toBe(true);
  });
});
