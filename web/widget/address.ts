/** Addresses: the same rules that the service checks by, for the moment somebody types; loaded when they are needed. */
import networks from '../../catalog/networks.json' with { type: 'json' };
import { checkAddress, checkMemo, holdsMemo } from '../../src/domain/address.ts';
import type { Network } from '../../src/domain/currency.ts';
import type { WalletFlaw } from './state.ts';

const NETWORKS = networks as unknown as Network[];

export interface Verdict {
  flaw: WalletFlaw | undefined;
  isMemoWrong: boolean;
  /** Whether the address holds its memo itself, so that none belongs beside it. */
  isMemoInside: boolean;
}

/** What is wrong with an address on a network, and with the memo beside it; nothing is said of a network without rules. */
export function judge(networkId: string, address: string, memo: string): Verdict | undefined {
  const network = NETWORKS.find(({ id }) => id === networkId);
  if (!network) return undefined;
  const found = checkAddress(network, address, NETWORKS);
  const flaw = found && {
    kind: found.kind ?? ('other' as const),
    others: [...(found.others ?? [])],
    message: found.message,
  };
  return {
    flaw,
    isMemoWrong: memo !== '' && checkMemo(network, memo, address) !== undefined,
    isMemoInside: !flaw && holdsMemo(network, address),
  };
}
