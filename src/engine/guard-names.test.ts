/** How the guard finds addresses: names that others have chosen never hold a thread that providers need. */
import { promises as dns } from 'node:dns';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createGuard } from './guard.ts';

afterEach(() => void vi.restoreAllMocks());

type Answer = string[] | 'fails';

/** A guard, with name servers that answer as told, and a machine that knows every host. */
function setUp({ four, six }: { four: Answer; six: Answer }) {
  const answer = (found: Answer) => async () => {
    if (found === 'fails') throw Object.assign(new Error('no data'), { code: 'ENODATA' });
    return found as never;
  };
  const asked = vi.spyOn(dns.Resolver.prototype, 'resolve4').mockImplementation(answer(four));
  vi.spyOn(dns.Resolver.prototype, 'resolve6').mockImplementation(answer(six));
  const machine = vi
    .spyOn(dns, 'lookup')
    .mockImplementation((async () => [{ address: '10.0.0.9', family: 4 }]) as never);
  return { guard: createGuard({ allowedHosts: ['inside'] }), asked, machine };
}

const HOOKS = 'https://hooks.example/';
const [A, B, C] = ['93.184.215.14', '93.184.215.15', '93.184.215.16'];
const [X, Y] = ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', '2606:2800:21f:cb07:6820:80da:af6b:8b2d'];

describe('a name that others have chosen', () => {
  it.each([
    ['of either kind', { four: [A], six: [X] }, [A, X]],
    ['of the older kind alone', { four: [A, B], six: 'fails' as const }, [A, B]],
    ['of the newer kind alone', { four: 'fails' as const, six: [X] }, [X]],
    ['of which there are many, some of either kind', { four: [A, B, C], six: [X, Y] }, [A, X, B, Y]],
  ])('is asked of name servers, not of the machine: addresses %s', async (_what, names, expected) => {
    const { guard, machine } = setUp(names);
    const place = await guard.locate(HOOKS);
    expect('addresses' in place && place.addresses).toEqual(
      expected.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
    expect(machine).not.toHaveBeenCalled();
  });

  it.each([
    ['a private address of the older kind', { four: [A, B, C, '10.0.0.1'], six: [X, Y] }],
    ['a private address of the newer kind', { four: [A], six: [X, Y, 'fd00::1'] }],
  ])('is refused with %s, even one that would not be tried', async (_what, names) => {
    const { guard } = setUp(names);
    expect(await guard.locate(HOOKS)).toEqual({ refused: expect.stringContaining('not on the public') });
  });

  it('that nobody knows cannot be found', async () => {
    const { guard } = setUp({ four: 'fails', six: 'fails' });
    expect(await guard.locate(HOOKS)).toEqual({ refused: 'has a host that cannot be found' });
  });
});

describe('a name that the operator has allowed', () => {
  it('is what the machine takes it for', async () => {
    const { guard, asked } = setUp({ four: [A], six: 'fails' });
    expect(await guard.locate('http://inside/hooks')).toMatchObject({
      addresses: [{ address: '10.0.0.9', family: 4 }],
    });
    expect(asked).not.toHaveBeenCalled();
  });
});
