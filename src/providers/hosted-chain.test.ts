/** What stand-ins say of chains: addresses and hashes in their own form. */
import { describe, expect, it } from 'vitest';
import { sha512 } from '../../test/stage.ts';
import { checkAddress } from '../domain/address.ts';
import { currencies } from '../main.ts';
import type { Flow } from './hosted.ts';
import { depositOf, hashOf } from './hosted-chain.ts';
import type { World } from './world.ts';

describe('chains', () => {
  const world = {
    sign: (_how: string, _key: string, text: string) => sha512(text),
    currencies,
  } as unknown as World;
  const flowOf = (asset: unknown, id = 'f1') => ({ id, deal: { asset } }) as Flow;

  it('have well-formed addresses for everything that is sold', () => {
    const wrong = [...currencies.assets.values()].flatMap(asset => {
      const network = currencies.networks.get(asset.network);
      const { address } = depositOf(flowOf(asset), world);
      if (!network || address.startsWith('sandbox-')) return [];
      const flaw = checkAddress(network, address, currencies.networks.values());
      return flaw ? [`${network.id}: ${flaw.message}`] : [];
    });
    expect([...new Set(wrong)]).toEqual([]);
  });

  it('have hashes in their own form, each transfer another', () => {
    const eth = [...currencies.assets.values()].find(({ id }) => id === 'eth_ethereum');
    const sol = [...currencies.assets.values()].find(({ id }) => id === 'sol_solana');
    expect(hashOf('delivery', flowOf(eth), world)).toMatch(/^0x[0-9a-f]{64}$/);
    expect(hashOf('delivery', flowOf(sol), world)).toMatch(/^[1-9A-HJ-NP-Za-km-z]{86,88}$/);
    expect(hashOf('refund', flowOf(eth), world)).not.toBe(hashOf('deposit', flowOf(eth), world));
  });
});
