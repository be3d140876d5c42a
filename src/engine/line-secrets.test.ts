/** Secrets of a line: they go out to the provider, and nowhere else. */
import { describe, expect, it } from 'vitest';
import { ask, connect, errorOf, ok, run, SECRET, setLines } from '../../test/acme-line.ts';
import { BadAnswer, type Context, exchange, type HttpRequest } from '../providers/exchange.ts';
import { sign } from './sign.ts';

setLines();

describe('secrets', () => {
  it('reach the provider in header, query and body although the adapter never sees them', async () => {
    const { line, received } = await connect(ok);
    let request: HttpRequest | undefined;
    await run(line, context => {
      const secret = context.secret('signingKey');
      request = {
        method: 'POST',
        host: 'api',
        path: '/x',
        query: { key: secret },
        headers: { authorization: `Bearer ${context.secret('headerKey')}` },
        body: { nested: [{ secret }] },
      };
      return exchange(request, answer => answer);
    });
    expect(JSON.stringify(request)).not.toContain('sk_');
    const [one] = received;
    expect(one?.headers.authorization).toBe('Bearer sk_plain');
    expect(new URL(one?.url ?? '', 'http://x').searchParams.get('key')).toBe(SECRET);
    expect(JSON.parse(one?.body ?? '')).toEqual({ nested: [{ secret: SECRET }] });
  });

  it('sign without being shown', async () => {
    const { line } = await connect(ok);
    const signature = await run(line, context => context.sign('hmac-sha256-hex', 'headerKey', 'text'));
    expect(signature).toBe(sign('hmac-sha256-hex', 'sk_plain', 'text'));
  });

  it('are put into a text that is signed where the adapter placed them', async () => {
    const { line } = await connect(ok);
    const sum = (text: (context: Context) => string) =>
      run(line, context => context.sign('sha512-hex', 'headerKey', text(context)));
    const placed = await sum(context => `a${context.secret('headerKey')}b`);
    expect(placed).toBe(await sum(() => 'ask_plainb'));
  });

  it('stay out of every error', async () => {
    const { line } = await connect((response, { url }) => {
      if (url.startsWith('/v1/reset')) response.destroy();
      else response.writeHead(url.startsWith('/v1/no') ? 400 : 500).end('{"echo":"sk_plain"}');
    });
    const withSecret = (path: string) => (context: Context) =>
      ask({
        path,
        query: { key: context.secret('headerKey') },
        headers: { 'x-key': context.secret('signingKey').replace('é', 'e') },
      });
    const errors = await Promise.all([
      errorOf(run(line, withSecret('/trouble'))),
      errorOf(run(line, withSecret('/no'))),
      errorOf(run(line, withSecret('/reset'))),
      errorOf(
        run(line, context => {
          throw new BadAnswer(`cannot use ${context.secret('headerKey')}`);
        }),
      ),
      errorOf(run(line, context => ask({ host: context.secret('headerKey') }))),
    ]);
    for (const error of errors) {
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toMatch(/sk_plain|sk_live/);
    }
  });

  it('are not swapped into text of a user that looks like a placeholder', async () => {
    const { line, received } = await connect(ok);
    const guesses = [
      '[[0123456789abcdef01234567:headerKey]]',
      '[[headerKey]]',
      '{{headerKey}}',
      '[[:headerKey]]',
    ];
    for (const guess of guesses) {
      await run(line, () =>
        ask({ method: 'POST', query: { guess }, headers: { 'x-guess': guess }, body: { guess } }),
      );
    }
    expect(received.map(({ headers }) => headers['x-guess'])).toEqual(guesses);
    expect(received.map(({ body }) => JSON.parse(body).guess)).toEqual(guesses);
    expect(JSON.stringify(received)).not.toContain('sk_plain');
  });

  it('have placeholders nobody can carry over from another line', async () => {
    const [one, other] = [await connect(ok), await connect(ok)];
    const stolen = await run(one.line, context => context.secret('headerKey'));
    await run(other.line, () => ask({ query: { stolen } }));
    expect(other.received[0]?.url).not.toContain('sk_plain');
  });

  it('that are not set or not named cannot be used', async () => {
    const { line, received } = await connect(ok);
    for (const name of ['missing', 'nobody', 'apiKey', 'key_2']) {
      const error = await errorOf(run(line, context => ask({ headers: { 'x-key': context.secret(name) } })));
      expect(error.message).toContain('no secret is named');
    }
    expect(received).toEqual([]);
  });
});
