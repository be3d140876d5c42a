/** Connections: who is let in when there are many, and who is sent away. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, it, vi } from 'vitest';
import { keepConnections, mostConnections } from './connections.ts';

const open: { server: Server; sockets: Socket[] }[] = [];

afterEach(async () => {
  // Whatever became of the test: a clock that stands still would do so in the files that follow.
  vi.restoreAllMocks();
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

/** A server that answers with so many bytes, or with nothing when they are none. */
async function setUp({ most, patienceMs = 30_000, bytes = 2 }: Wanted) {
  const cuts: string[] = [];
  const counts = { begun: 0, closed: 0 };
  const answers: WeakRef<object>[] = [];
  const server = createServer((request, response) => {
    connections.used(request.socket, response);
    counts.begun++;
    answers.push(new WeakRef(response));
    response.once('close', () => counts.closed++);
    if (bytes > 0) response.end(Buffer.alloc(bytes, 'x'));
  });
  const connections = keepConnections(server, { most, patienceMs, onCut: reason => cuts.push(reason) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const sockets: Socket[] = [];
  open.push({ server, sockets });
  const { port } = server.address() as AddressInfo;

  async function dial(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  }
  async function ask(): Promise<Socket> {
    const socket = await dial();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    if (bytes > 0) await once(socket, 'data');
    socket.resume();
    return socket;
  }
  return { cuts, counts, answers, dial, ask };
}

interface Wanted {
  most: number;
  patienceMs?: number;
  bytes?: number;
}

async function isGone(socket: Socket): Promise<void> {
  if (!socket.destroyed) await once(socket, 'close');
}

it('are as many as two fifths of the files that may be open', () => {
  expect(mostConnections()).toBeGreaterThan(100);
  expect(Number.isInteger(mostConnections())).toBe(true);
});

it('that are idle make room for new ones, the one unused for longest first', async () => {
  const { cuts, ask } = await setUp({ most: 10 });
  const kept: Socket[] = [];
  for (let at = 0; at < 9; at++) kept.push(await ask());
  expect(cuts).toEqual([]);
  await ask();
  await isGone(kept[0] as Socket);
  await ask();
  await isGone(kept[1] as Socket);
  expect(cuts).toEqual(['idle', 'idle']);
  expect(kept[2]?.destroyed).toBe(false);
});

it('over which nothing was asked for a while make room as well, those that have just come do not', async () => {
  const { cuts, dial, ask } = await setUp({ most: 10 });
  const silent = await dial();
  const [first] = [await ask()];
  for (let at = 0; at < 8; at++) await ask();
  await isGone(first as Socket);
  expect(silent.destroyed).toBe(false);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 3_000);
  await ask();
  await isGone(silent);
  expect(cuts).toEqual(['idle', 'idle']);
});

it('that wait for an answer are kept; those for whom there is no room are turned away', async () => {
  const { cuts, ask, dial } = await setUp({ most: 5, bytes: 0 });
  const busy: Socket[] = [];
  for (let at = 0; at < 4; at++) busy.push(await ask());
  const fifth = await ask();
  await vi.waitFor(() => expect(fifth.bytesWritten).toBeGreaterThan(0), 10_000);
  const sixth = (await dial()).resume();
  await isGone(sixth);
  expect(busy.some(({ destroyed }) => destroyed)).toBe(false);
  expect(cuts).toContain('connections');
});

it('whose answer nobody takes are ended', async () => {
  const { cuts, dial } = await setUp({ most: 10, patienceMs: 100, bytes: 64 * 1024 * 1024 });
  const lazy = await dial();
  lazy.pause();
  lazy.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await vi.waitFor(() => expect(cuts).toEqual(['unread']), 10_000);
});

it('close every answer that was begun on them, in whose turn it ever was or not', async () => {
  const { counts, dial } = await setUp({ most: 10, bytes: 0 });
  const socket = await dial();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
  await vi.waitFor(() => expect(counts).toEqual({ begun: 20, closed: 0 }), 10_000);
  socket.destroy();
  await vi.waitFor(() => expect(counts).toEqual({ begun: 20, closed: 20 }), 10_000);
});

it('close each answer once where all are given', async () => {
  const { counts, dial } = await setUp({ most: 10 });
  const socket = await dial();
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20));
  await vi.waitFor(() => expect(counts).toEqual({ begun: 20, closed: 20 }), 10_000);
  socket.destroy();
  await isGone(socket);
  expect(counts.closed).toBe(20);
});

it('hold no answer that was given, however many came in one piece', async () => {
  const { counts, answers, dial } = await setUp({ most: 10 });
  const socket = await dial();
  socket.resume();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(300));
  await vi.waitFor(() => expect(counts).toEqual({ begun: 300, closed: 300 }), 10_000);
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  await vi.waitFor(() => {
    collect();
    // The last one stays, and whatever the engine has in hand.
    expect(answers.filter(answer => answer.deref()).length).toBeLessThan(10);
  }, 10_000);
  expect(socket.destroyed).toBe(false);
});
