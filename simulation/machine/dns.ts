/** `node:dns` as the service sees it: names of the simulated network, where all addresses are of the older kind. */
import type { LookupAddress } from 'node:dns';
import { resolveName } from './network.ts';

class Resolver {
  async resolve4(host: string): Promise<string[]> {
    return [...(await resolveName(host))];
  }

  async resolve6(): Promise<string[]> {
    throw Object.assign(new Error('no such address'), { code: 'ENODATA' });
  }
}

export const promises = {
  async lookup(host: string): Promise<LookupAddress[]> {
    return (await resolveName(host)).map(address => ({ address, family: 4 }));
  },
  Resolver,
};
