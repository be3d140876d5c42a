/** `node:dns` as the service sees it: names of the simulated network. */
import type { LookupAddress } from 'node:dns';
import { resolveName } from './network.ts';

export const promises = {
  async lookup(host: string): Promise<LookupAddress[]> {
    return (await resolveName(host)).map(address => ({ address, family: 4 }));
  },
};
