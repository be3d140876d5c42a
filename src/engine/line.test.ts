/** A line: the only thing that sends. Chains end, and refusals are told from trouble. */
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { adapter, ask, connect, errorOf, ok, run, setLines } from '../../test/acme-line.ts';
import { BadAnswer, type Context, exchange, type HttpAnswer, type Work } from '../providers/exchange.ts';
import { createDeadline } from './deadline.ts';
import { Upstream } from './upstream.ts';

setLines();

describe('sending', () => {
  it('asks for plain JSON at the named host, with query and body', async () => {
    const { line, received } = await connect(ok);
    await run(line, () =>
      ask({
        method: 'POST',
        query: { a: '1 & 2', gone: undefined, 'b/c': 'é' },
        headers: { 'x-mark': '7' },
        body: { amount: '1.50' },
      }),
    );
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/x?a=1%20%26%202&b%2Fc=%C3%A9',
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          'content-type': 'application/json',
          'x-mark': '7',
        },
        body: '{"amount":"1.50"}',
      },
    ]);
  });

  it('refuses a host the manifest does not name, and calls nobody', async () => {
    const { line, received } = await connect(ok);
    for (const host of ['evil', 'http://evil.example', '__proto__', 'constructor', '']) {
      expect((await errorOf(run(line, () => ask({ host })))).message).toContain('no host is named');
    }
    expect(received).toEqual([]);
  });

  it('tells the adapter the time, an id and the settings that are no secrets, and no others', async () => {
    const { line } = await connect(ok);
    let seen: Context | undefined;
    await run(line, context => {
      seen = context;
      return 'done';
    });
    expect(seen).toMatchObject({
      now: 1_800_000_000_000,
      id: 'w1',
      settings: { apiKey: 'pk_test_1', version: 'v2' },
    });
    expect(JSON.stringify(seen)).not.toContain('sk_');
  });
});

describe('reading', () => {
  it('gives every number as its own text', async () => {
    const { line } = await connect(
      response => void response.end('{"price":0.10000000000000000001,"n":[1e3]}'),
    );
    const answer = await run(line, () => ask());
    expect(answer.body).toEqual({ price: '0.10000000000000000001', n: ['1e3'] });
  });

  it.each(['<!doctype html>', '{"cut":', '', '\ufeff{}', 'NaN'])('gives no body for %j', async text => {
    const { line } = await connect(response => void response.end(text));
    expect((await run(line, () => ask())).body).toBeUndefined();
  });

  it('refuses a compressed answer, so that no bomb is ever unpacked', async () => {
    const { line } = await connect(response => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{"a":1}'));
    });
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'garbage' });
  });

  it('stops at the body limit', async () => {
    const { line } = await connect(response => void response.end(`"${'x'.repeat(20_000)}"`));
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'tooLarge' });
  });
});

describe('chains', () => {
  const chain = (links: number): Work<string> =>
    links === 0 ? 'end' : exchange({ method: 'GET', host: 'api', path: '/x' }, () => chain(links - 1));

  it('of twelve exchanges come to their end', async () => {
    const { line, received } = await connect(ok);
    expect(await run(line, () => chain(12))).toBe('end');
    expect(received).toHaveLength(12);
  });

  it('that lead to no end are cut after twelve', async () => {
    const { line, received } = await connect(ok);
    expect(await errorOf(run(line, () => chain(1_000)))).toBeInstanceOf(BadAnswer);
    expect(received).toHaveLength(12);
  });

  it('share one deadline', async () => {
    const { line } = await connect(response => void setTimeout(() => ok(response), 60));
    const deadline = createDeadline(300);
    onTestFinished(() => deadline.clear());
    expect(await errorOf(run(line, () => chain(12), { deadline }))).toMatchObject({ kind: 'late' });
  });
});

describe('refusals', () => {
  const answering = (status: number, headers: Record<string, string> = {}) =>
    connect(response => void response.writeHead(status, headers).end('{"message":"no"}'));

  it('are read by the decline function, with the answer as it came', async () => {
    const { line } = await answering(422);
    const declined = await run<HttpAnswer>(line, () => ask(), { decline: answer => answer });
    expect(declined).toEqual({ status: 422, body: { message: 'no' } });
  });

  it.each([400, 404, 409, 422, 451])('are trouble when nothing can read them (%i)', async status => {
    const { line } = await answering(status);
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'status' });
    expect(await errorOf(run<unknown>(line, () => ask(), { decline: () => undefined }))).toMatchObject({
      kind: 'status',
    });
  });

  it.each([
    [401, 'unauthorized'],
    [403, 'unauthorized'],
    [429, 'limited'],
    [500, 'status'],
    [503, 'status'],
  ])('with %i are %s, and nobody is asked to read them', async (status, kind) => {
    const { line } = await answering(status);
    let asked = 0;
    const decline = () => void asked++;
    expect(await errorOf(run<unknown>(line, () => ask(), { decline }))).toMatchObject({ kind });
    expect(asked).toBe(0);
  });

  it.each([
    ['30', 30_000, 30_000],
    ['0', 0, 0],
    [new Date(Date.now() + 120_000).toUTCString(), 60_000, 120_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0, 0],
    ['soon', undefined, undefined],
    ['-5', undefined, undefined],
    ['9'.repeat(40), undefined, undefined],
  ])('with 429 say how long to wait: %s', async (header, least, most) => {
    const { line } = await answering(429, { 'retry-after': header });
    const error = (await errorOf(run(line, () => ask()))) as Upstream;
    expect(error).toBeInstanceOf(Upstream);
    if (least === undefined || most === undefined) return expect(error.retryAfterMs).toBeUndefined();
    expect(error.retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(error.retryAfterMs).toBeLessThanOrEqual(most);
  });
});

describe('the budget', () => {
  const metered = (burst: number, perSecond = 0.001) => {
    const limits = { ...adapter.manifest.limits, perSecond, burst };
    return connect(ok, { adapter: { ...adapter, manifest: { ...adapter.manifest, limits } } });
  };

  it.each([
    [20, 15],
    [5, 4],
    [2, 1],
    [1, 1],
  ])('of %i leaves a part to orders however many quotes there are: those get %i', async (burst, most) => {
    const { line, received } = await metered(burst);
    const spend = async (modest: boolean) => {
      for (let times = 0; times < burst; times++) await run(line, () => ask(), { modest });
    };
    expect(await errorOf(spend(true).then(() => spend(true)))).toMatchObject({ kind: 'busy' });
    expect(received).toHaveLength(most);
    expect(await errorOf(spend(false).then(() => spend(false)))).toMatchObject({ kind: 'busy' });
    expect(received).toHaveLength(burst);
  });

  it('is waited for by whoever is patient, unless the deadline comes first', async () => {
    const { line, received } = await metered(1, 50);
    for (let times = 0; times < 4; times++) await run(line, () => ask(), { patient: true });
    expect(received).toHaveLength(4);
    const { line: slow } = await metered(1);
    await run(slow, () => ask(), { patient: true });
    expect(await errorOf(run(slow, () => ask(), { patient: true }))).toMatchObject({ kind: 'busy' });
  });

  it('is waited for until orders have their part again, by whoever leaves them that', async () => {
    const { line } = await metered(4, 20);
    for (let times = 0; times < 6; times++) await run(line, () => ask(), { patient: true, modest: true });
    await run(line, () => ask());
  });
});

describe('health', () => {
  it('lets no further request out once the provider has asked to be left alone, whatever was admitted', async () => {
    let withheld = 0;
    const { line, received } = await connect(ok, { onWithheld: () => void withheld++ });
    const leave = () => line.health.failed(new Upstream('limited', '', 60_000), performance.now());
    const chain = exchange({ method: 'GET', host: 'api', path: '/x' }, () => {
      leave();
      return ask();
    });
    expect(await errorOf(run(line, () => chain))).toMatchObject({ kind: 'busy' });
    expect(await errorOf(run(line, () => ask()))).toMatchObject({ kind: 'busy' });
    expect([received.length, withheld]).toEqual([1, 2]);
  });

  it('lets the chain of a probe go on', async () => {
    const { line, received } = await connect(ok);
    for (let failure = 0; failure < 5; failure++)
      line.health.failed(new Upstream('status', ''), performance.now());
    await run(line, () => exchange({ method: 'GET', host: 'api', path: '/x' }, () => ask()));
    expect(received).toHaveLength(2);
  });

  it('ends what is under way when the breaker opens', async () => {
    let arrived: (() => void) | undefined;
    const arrival = new Promise<void>(resolve => {
      arrived = resolve;
    });
    const { line } = await connect(() => arrived?.());
    const waiting = errorOf(run(line, () => ask()));
    await arrival;
    for (let failure = 0; failure < 5; failure++) line.health.failed(new Upstream('late', ''), 0);
    expect(await waiting).toMatchObject({ kind: 'withdrawn' });
  });
});
