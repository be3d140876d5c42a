/** A line whose provider lends a token: whoever is refused with one that is void goes on with the next, and asks for one only once. */
import { describe, expect, it, vi } from 'vitest';
import { adapter, ask, connect, run, setLines } from '../../test/acme-line.ts';
import { type Context, exchange } from '../providers/exchange.ts';
import type { KeptToken, TokenKeeper } from './token.ts';

setLines();

const FAR = 1_900_000_000_000;

/** Kept as the database keeps it, one renewal at a time. */
function keeperOf(first: KeptToken): TokenKeeper {
  let kept = first;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    read: async () => kept,
    renew(stale, renewBy) {
      const renewed = turn.then(async () => {
        if (kept.secret === stale) kept = { ...(await renewBy()), previous: stale };
        return kept;
      });
      turn = renewed;
      return renewed;
    },
  };
}

const lending = {
  ...adapter,
  token: {
    name: 'token',
    ask: () =>
      exchange({ method: 'POST', host: 'api', path: '/token' }, ({ body }) => ({
        secret: (body as { token: string }).token,
        until: FAR,
      })),
  },
};

const authorized = (path: string) => (context: Context) =>
  ask({ path, headers: { 'x-token': context.secret('token') } });

describe('a token that has become void', () => {
  it('is replaced once for two who use it at once, though the refusal of one comes after the new token', async () => {
    let lent = 0;
    let refuseTheOther = () => {};
    const { line, received } = await connect(
      (response, { url, headers }) => {
        const refuse = () => void response.writeHead(401).end('{}');
        const isGood = headers['x-token'] === `new-${lent}`;
        if (url === '/v1/token') response.end(`{"token":"new-${++lent}"}`);
        else if (isGood) response.end('{"fine":true}');
        else if (url === '/v1/late') refuseTheOther = refuse;
        else refuse();
      },
      { adapter: lending, tokens: keeperOf({ secret: 'old', until: FAR }) },
    );
    const late = run(line, authorized('/late'), { authorized: true });
    await vi.waitFor(() => expect(received.length).toBe(1));
    const prompt = run(line, authorized('/prompt'), { authorized: true });
    expect((await prompt).body).toEqual({ fine: true });
    refuseTheOther();
    expect((await late).body).toEqual({ fine: true });
    expect(received.filter(({ url }) => url === '/v1/token').length).toBe(1);
    expect(received.filter(({ url }) => url === '/v1/late').map(({ headers }) => headers['x-token'])).toEqual(
      ['old', 'new-1'],
    );
  });
});
