/** Address checks: a verdict is of what was looked at, and there is none where nothing was. */
import { describe, expect, it } from 'vitest';
import type { Action } from './actions.ts';
import { judge } from './address.ts';
import { createAddressChecks } from './address-checks.ts';
import { exampleState } from './example.ts';
import { NO_WALLET } from './state.ts';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';

async function verdictsOn(address: string, load: () => Promise<unknown>): Promise<Action[]> {
  const actions: Action[] = [];
  const check = createAddressChecks({ dispatch: action => void actions.push(action), load });
  check(exampleState({ screen: 'wallet', wallet: { ...NO_WALLET, address } }), undefined);
  await new Promise(resolve => setTimeout(resolve));
  return actions;
}

describe('address checks', () => {
  it('say what they found', async () => {
    const [action] = await verdictsOn(ADDRESS, async () => ({ judge }));
    expect(action).toEqual({
      type: 'checked',
      address: ADDRESS,
      memo: '',
      flaw: undefined,
      isMemoWrong: false,
    });
    expect(await verdictsOn('nonsense', async () => ({ judge }))).toMatchObject([
      { flaw: { kind: 'unlike' } },
    ]);
  });

  it('say nothing where the rules cannot be had, or are not known', async () => {
    expect(await verdictsOn(ADDRESS, () => Promise.reject(new Error('no script')))).toEqual([]);
    expect(judge('another', ADDRESS, '')).toBeUndefined();
  });
});
