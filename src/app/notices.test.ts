/** What of a provider's words is taken for an order's, and how. */
import { describe, expect, it } from 'vitest';
import { silentAdapter } from '../../test/silent-adapter.ts';
import { decimal } from '../domain/money.ts';
import type { Notice } from '../providers/contract.ts';
import { concerns, plainBank, saidOf } from './notices.ts';

const notice = (wallet?: string): Notice => ({ word: 'done', wallet });
const native = { fiat: 'EUR', asset: 'ETH_ETH', network: 'ETH', method: 'CARD' };
const buy = (walletAddress: string) => ({ side: 'buy' as const, walletAddress, native });

describe('a notice that says where coins go', () => {
  it('is about an order to the same wallet', () => {
    expect(concerns(notice('bc1qxyz'), buy('bc1qxyz'))).toBe(true);
    expect(concerns(notice('0xABcd'), buy('0xabCD'))).toBe(true);
    // As pictures to scan have it.
    expect(concerns(notice('bc1qxyz'), buy('BC1QXYZ'))).toBe(true);
    expect(concerns(notice('qpm2q'), buy('bitcoincash:qpm2q'))).toBe(true);
  });

  it('is not about an order to another', () => {
    expect(concerns(notice('bc1qother'), buy('bc1qxyz'))).toBe(false);
    expect(concerns(notice('0xabce'), buy('0xabcd'))).toBe(false);
    // Where capitals count, they count.
    expect(concerns(notice('7vfCXTUX'), buy('7vfcxtux'))).toBe(false);
  });

  it('says nothing where it names none, the order has none, or coins come in', () => {
    expect(concerns(notice(), buy('bc1qxyz'))).toBe(true);
    expect(concerns(notice('bc1qxyz'), buy(''))).toBe(true);
    expect(concerns(notice('bc1qxyz'), { side: 'sell', walletAddress: 'bc1qother', native })).toBe(true);
  });
});

describe('a notice that says what is traded', () => {
  it('is not about an order of another coin, on either side', () => {
    for (const side of ['buy', 'sell'] as const) {
      const order = { ...buy('0xab'), side };
      expect(concerns({ word: 'done', asset: 'ETH_ETH' }, order)).toBe(true);
      expect(concerns({ word: 'done', asset: 'ETH_SHIB' }, order)).toBe(false);
    }
  });

  it('tells no sum of another fiat', () => {
    const manifest = silentAdapter({ statuses: { done: 'completed' } }).manifest;
    const sums = { paid: decimal('10000'), received: decimal('2') };
    const said = (side: 'buy' | 'sell', fiat: string) =>
      saidOf(manifest, { word: 'done', fiat, ...sums }, { heardAt: 1, order: { ...buy('0xab'), side } });
    expect(said('buy', 'EUR')).toMatchObject(sums);
    expect(said('buy', 'HUF')).toMatchObject({ paid: undefined, received: sums.received });
    expect(said('sell', 'HUF')).toMatchObject({ paid: sums.paid, received: undefined });
  });

  it('shows no address for another coin', () => {
    const { manifest } = silentAdapter({ statuses: { waiting: 'pending' } });
    const deposit = (asset?: string) =>
      saidOf(
        manifest,
        { word: 'waiting', deposit: { address: '0xab', asset } },
        { heardAt: 1, order: { side: 'sell', walletAddress: '', native } },
      )?.deposit;
    expect(deposit('ETH_SHIB')).toBeUndefined();
    for (const asset of ['ETH_ETH', undefined]) expect(deposit(asset)).toEqual({ address: '0xab' });
  });
});

describe('a bank transfer', () => {
  const ACCOUNT = { iban: '', bic: '', bankName: '', bankAddress: '', accountName: '', accountAddress: '' };

  it('is kept with all that is to be known of it, and its lines within bounds', () => {
    const hint = `${'Pay from your own account. '.repeat(30)}Write the reference, or the money goes back.`;
    const kept = plainBank({ account: ACCOUNT, reference: 'x'.repeat(300), hint });
    expect([kept.hint, kept.reference.length]).toEqual([hint, 256]);
    expect(plainBank({ account: ACCOUNT, reference: '', hint: 'x'.repeat(2_000) }).hint).toHaveLength(1_000);
  });
});
