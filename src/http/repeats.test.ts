/** Repeats: the same bytes get the same answer, and nothing else does. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../domain/fault.ts';
import { createFront } from './front.ts';
import { createMemory } from './memory.ts';
import { isWhole } from './repeats.ts';

const ANYONE = { authorization: undefined, country: undefined };
const TOO_OFTEN = {
  reason: 'key' as const,
  fault: new Fault('tooMany', 'This key has sent too many requests', 'Authorization'),
  headers: [],
};

/** A front that has two catalogs in memory, and repeats the body of whatever else it is sent. */
function setUp() {
  const memory = createMemory();
  const counts = { parsed: 0, remembered: 0, allowed: Number.POSITIVE_INFINITY, ids: 0 };
  const server = createFront(
    async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.end(`${request.method} ${request.url} ${body}`);
    },
    {
      memory,
      admission: { limit: () => (counts.allowed-- > 0 ? undefined : TOO_OFTEN), shed: () => undefined },
      onRefused: () => {},
      onConnection: () => {},
      isEarlier: url => url.startsWith('/legacy'),
      catalogPaths: ['/catalog'],
      countryOf: () => undefined,
      newRequestId: () => `r${++counts.ids}`,
      onRemembered: () => counts.remembered++,
      take: () => false,
    },
  );
  server.on('request', () => counts.parsed++);
  memory.keep('/catalog/a', ANYONE, 'all of a');
  memory.keep('/catalog/b', ANYONE, 'all of b, which is more');
  return { server, memory, counts };
}

const ask = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

describe('a connection over which the same is asked many times', () => {
  let world: ReturnType<typeof setUp>;
  let server: Server;
  let socket: Socket;
  let heard = '';

  beforeEach(async () => {
    world = setUp();
    ({ server } = world);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
    heard = '';
    socket.on('data', chunk => {
      heard += chunk;
    });
  });

  afterEach(() => {
    socket.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Sends a piece; what comes back until so many answers are there. */
  async function exchange(piece: string, answers = 1): Promise<string> {
    const from = heard.length;
    socket.write(piece);
    while (answersIn(heard.slice(from)).length < answers) await once(socket, 'data');
    return heard.slice(from);
  }

  async function repeat(times: number, piece: string): Promise<string[]> {
    const answers: string[] = [];
    for (let time = 0; time < times; time++) answers.push(await exchange(piece));
    return answers;
  }

  const plain = (answer: string) =>
    answer.replace(/x-request-id: r\d+/, 'x-request-id: r').replace(/Date: .*/, 'Date:');

  it.each([
    ['of all', ask('/catalog/a'), 200],
    [
      'of a page of another site',
      ask('/catalog/b', 'Origin: https://shop.example\r\nUser-Agent: me\r\n'),
      200,
    ],
    ['of one who has it', ask('/catalog/a', 'If-None-Match: *\r\nConnection: keep-alive\r\n'), 304],
  ])('gets the same each time, %s', async (_whose, request, status) => {
    const answers = await repeat(9, request);
    const [first = ''] = answers;
    expect(first).toMatch(new RegExp(`^HTTP/1.1 ${status} .*Date: .*Keep-Alive: timeout=72`, 's'));
    expect(answers.map(plain)).toEqual(answers.map(() => plain(first)));
    // Three times it was parsed: until it had been asked twice, and once to see where it ends.
    expect(world.counts).toMatchObject({ parsed: 3, remembered: 9, ids: 9 });
  });

  it('is told when each answer was made', async () => {
    const [, , , , last = ''] = await repeat(5, ask('/catalog/a'));
    const date = Date.parse(/Date: (.*)/.exec(last)?.[1] ?? '');
    expect(Math.abs(Date.now() - date)).toBeLessThan(5_000);
  });

  it('gets what is new', async () => {
    await repeat(5, ask('/catalog/a'));
    world.memory.forget();
    world.memory.keep('/catalog/a', ANYONE, 'what a is now');
    const answers = await repeat(5, ask('/catalog/a'));
    for (const answer of answers) expect(answer).toMatch(/what a is now$/);
  });

  it('is counted each time, and refused once that is too often', async () => {
    world.counts.allowed = 7;
    const answers = await repeat(9, ask('/catalog/a'));
    expect(answers.map(answer => answer.slice(9, 12))).toEqual([...Array(7).fill('200'), '429', '429']);
  });

  it('gets what else it asks for, and the same again', async () => {
    await repeat(5, ask('/catalog/a'));
    expect(await exchange(ask('/other'))).toMatch(/GET \/other $/);
    expect(await exchange(ask('/catalog/b'))).toMatch(/all of b, which is more$/);
    expect((await repeat(5, ask('/catalog/a'))).every(answer => answer.endsWith('all of a'))).toBe(true);
  });

  it('is read by Node alone once it has stopped repeating itself', async () => {
    await repeat(5, ask('/catalog/a'));
    for (let time = 0; time < 4; time++) await exchange(ask('/catalog/a', `X-Trace: ${time}\r\n`));
    const { parsed } = world.counts;
    await repeat(5, ask('/catalog/a'));
    expect(world.counts.parsed - parsed).toBe(5);
  });

  it.each([
    ['first', 0],
    ['later', 5],
  ])('gets more in one piece than can be sent at once, %s, and goes on', async (_when, before) => {
    world.memory.keep('/catalog/all', ANYONE, 'x'.repeat(60_000));
    await repeat(before, ask('/catalog/a'));
    for (let time = 0; time < 2; time++) {
      expect(answersIn(await exchange(ask('/catalog/all').repeat(50), 50))).toHaveLength(50);
      expect((await repeat(5, ask('/catalog/a'))).every(answer => answer.endsWith('all of a'))).toBe(true);
    }
  });

  it('is no tunnel either', async () => {
    await repeat(5, ask('/catalog/a'));
    expect(await exchange('CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n')).toMatch(/^HTTP\/1.1 405/);
    socket.write(ask('/catalog/a'));
    await once(socket, 'close');
    expect(answersIn(heard)).toHaveLength(6);
  });

  it('does not hold up a server that stops', async () => {
    await repeat(5, ask('/catalog/a'));
    const closed = once(server, 'close');
    server.close();
    await closed;
    expect(socket.readableEnded || socket.destroyed || (await once(socket, 'end'))).toBeTruthy();
  });
});

/** One status and body for each answer; those without a length have come when their head has. */
function answersIn(text: string): string[] {
  const answers: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at);
    if (end < 0) break;
    const head = text.slice(at, end);
    const from = end + 4;
    const until = from + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (until > text.length) break;
    answers.push(`${head.slice(9, 12)} ${text.slice(from, until)}`);
    at = until;
  }
  return answers;
}

/** Some of what may be sent over one connection, with what must come back. */
const MESSAGES = [
  { sent: ask('/catalog/a'), answer: '200 all of a' },
  { sent: ask('/catalog/b'), answer: '200 all of b, which is more' },
  { sent: ask('/catalog/a', 'If-None-Match: *\r\n'), answer: '304 ' },
  { sent: ask('/else'), answer: '200 GET /else ' },
  // A body that is a request, to the letter.
  ...[ask('/catalog/a'), `x${ask('/catalog/a')}`, '\r\n\r\n'].map(body => ({
    sent: `POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    answer: `200 POST /take ${body}`,
  })),
];

describe('whatever is sent, in whatever pieces', () => {
  const message = fc.constantFrom(...MESSAGES);
  /** What comes in one piece, or is cut where bodies begin, or somewhere. */
  const group = fc.record({
    messages: fc.array(message, { minLength: 1, maxLength: 2 }),
    cut: fc.oneof(fc.constant('nowhere' as const), fc.constant('body' as const), fc.nat(200)),
  });
  // The same several times over, so that there are repeats.
  const groups = fc
    .array(fc.tuple(group, fc.integer({ min: 1, max: 9 })), { minLength: 1, maxLength: 6 })
    .map(runs => runs.flatMap(([one, times]) => Array.from({ length: times }, () => one)));

  it('gets one answer to each, in order', async () => {
    const { server, counts } = setUp();
    // Only who listens repeats itself.
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(groups, async sent => {
        const { line, heard } = openLine();
        server.emit('connection', line);
        const wanted = sent.flatMap(({ messages }) => messages.map(one => one.answer));
        for (const piece of sent.flatMap(inPieces)) {
          line.push(piece, 'latin1');
          await turn();
        }
        for (let time = 0; time < 50 && answersIn(heard()).length < wanted.length; time++) await turn();
        line.destroy();
        asked += wanted.length;
        expect(answersIn(heard())).toEqual(wanted);
      }),
      { numRuns: 500 },
    );
    server.close();
    expect(asked - counts.parsed).toBeGreaterThan(100);
  });

  function inPieces({
    messages,
    cut,
  }: {
    messages: { sent: string }[];
    cut: 'nowhere' | 'body' | number;
  }): string[] {
    const text = messages.map(one => one.sent).join('');
    if (cut === 'nowhere') return [text];
    const at = cut === 'body' ? text.indexOf('\r\n\r\n') + 4 : cut % text.length;
    return [text.slice(0, at), text.slice(at)].filter(piece => piece !== '');
  }

  /** A connection whose pieces come as they are pushed. */
  function openLine() {
    let text = '';
    const line = new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        text += Buffer.from(chunk).toString('latin1');
        done();
      },
    });
    return { line, heard: () => text };
  }
});

describe('a piece', () => {
  const headers = ['Host', 'x', 'Accept', '*/*'];
  const request = { url: '/a', rawHeaders: headers };
  const whole = 'GET /a HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n';

  it('is whole when it is one request', () => {
    expect(isWhole(Buffer.from(whole), request)).toBe(true);
  });

  it.each([
    ['the end of it', 'Accept: */*\r\n\r\n'],
    ['all but its end', whole.slice(0, -1)],
    ['it and more', `${whole}G`],
    ['it twice', whole + whole],
    ['the end of something else and it', `GET /a HTTP/1.1\r\nX: ${whole}`],
    ['it after an empty line', `\r\n${whole}`],
    ['one of an older version', whole.replace('1.1', '1.0')],
    ['another one', whole.replace('/a', '/b')],
  ])('is not when it is %s', (_what, text) => {
    expect(isWhole(Buffer.from(text), request)).toBe(false);
  });
});
