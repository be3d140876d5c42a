/** Address checks: a verdict is of what was looked at, and there is none where nothing was. */
import { describe, expect, it } from 'vitest';
import type { Action } from './actions.ts';
import { judge } from './address.ts';
import { createAddressChecks } from './address-checks.ts';
import { EUR, exampleState, XRP } from './example.ts';
import { NO_WALLET, type State } from './state.ts';

const ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const RIPPLE = 'rN7n7otQDd6FczFgLdSqtcsAUxDkw6fzRH';

async function verdictsOn(
  address: string,
  load: () => Promise<unknown>,
  { memo = '', ...change }: Partial<State> & { memo?: string } = {},
): Promise<Action[]> {
  const actions: Action[] = [];
  const check = createAddressChecks({ dispatch: action => void actions.push(action), load });
  check(exampleState({ screen: 'wallet', wallet: { ...NO_WALLET, address, memo }, ...change }), undefined);
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
      isMemoInside: false,
    });
    expect(await verdictsOn('nonsense', async () => ({ judge }))).toMatchObject([
      { flaw: { kind: 'unlike' } },
    ]);
  });

  it('take a memo without the blanks around it', async () => {
    const pair = { fiat: EUR, crypto: XRP };
    const [action] = await verdictsOn(RIPPLE, async () => ({ judge }), { pair, memo: ' 12345 ' });
    expect(action).toMatchObject({ memo: '12345', isMemoWrong: false });
  });

  it.each([
    ['ripple', RIPPLE, false],
    ['ripple', 'XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2m4Er6SnvjVLpMWPjR', true],
    ['stellar', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', false],
    ['stellar', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', true],
    // Not an address yet.
    ['stellar', 'MA7QYNF7', false],
    ['cosmos', 'cosmos1vqpjljwsynsn58dugz0w8ut7kun7t8ls2qkmsq', false],
    ['bitcoin', ADDRESS, false],
  ])('say whether on %s the address %s holds its memo: %s', (network, address, isMemoInside) => {
    expect(judge(network, address, '')).toMatchObject({ isMemoInside });
  });

  it('say nothing where the rules cannot be had, or are not known', async () => {
    expect(await verdictsOn(ADDRESS, () => Promise.reject(new Error('no script')))).toEqual([]);
    expect(judge('another', ADDRESS, '')).toBeUndefined();
  });
});
