/** The gate: stands between the service and the stand-ins. It counts calls, and can replace, hold or cut answers. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ProviderId } from '../../src/domain/words.ts';

export interface Gate {
  url: string;
  /** When each call to a provider came, and for what. */
  calls(provider: ProviderId): readonly Call[];
  /** What a provider answers to calls whose path holds `part`, until it is taken back. */
  answer(provider: ProviderId, canned: Canned | undefined): void;
  /** Keeps back what a provider answers to calls whose path holds `part`; the provider itself has done its work. */
  hold(provider: ProviderId, part: string): Hold;
  close(): Promise<void>;
}

export interface Call {
  at: number;
  method: string;
  path: string;
}

export interface Canned {
  part: string;
  status: number;
  headers?: Record<string, string>;
  body: string;
}

export interface Hold {
  /** How many answers are being kept back. */
  count(): number;
  /** Lets all of them go, and holds no more. */
  release(): void;
  /** Cuts the connections they were to go over, and holds no more. */
  cut(): void;
}

interface Holding extends Hold {
  part: string;
  keep(response: ServerResponse, send: () => void): void;
}

/** What a stand-in says of its own address is made to lead through the gate. */
export async function openGate(sandboxUrl: string): Promise<Gate> {
  const seen = new Map<string, Call[]>();
  const canned = new Map<string, Canned>();
  const holds = new Map<string, Holding>();
  let url = '';

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '/', method = 'GET' } = request;
    const provider = path.split('/')[1] ?? '';
    const calls = seen.get(provider) ?? [];
    seen.set(provider, calls);
    calls.push({ at: Date.now(), method, path });
    const body = await readBody(request);
    const instead = canned.get(provider);
    if (instead && path.includes(instead.part)) {
      const headers = { 'content-type': 'application/json', ...instead.headers };
      return void response.writeHead(instead.status, headers).end(instead.body);
    }
    // Who hangs up on us hangs up on the stand-in.
    const stop = new AbortController();
    response.once('close', () => stop.abort());
    const answer = await forward(sandboxUrl + path, { request, body, signal: stop.signal });
    const send = () =>
      void response.writeHead(answer.status, answer.headers).end(answer.text.replaceAll(sandboxUrl, url));
    const hold = holds.get(provider);
    if (hold && path.includes(hold.part)) hold.keep(response, send);
    else send();
  }

  const server = createServer((request, response) => {
    // The stand-in's faults may cut the connection; then ours is cut too.
    serve(request, response).catch(() => response.destroy());
  });
  // As the sandbox itself: on a busy machine a connection is not closed in the moment it is used again.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    calls: provider => seen.get(provider) ?? [],
    answer(provider, instead) {
      if (instead) canned.set(provider, instead);
      else canned.delete(provider);
    },
    hold(provider, part) {
      const hold = createHold(part, () => holds.delete(provider));
      holds.set(provider, hold);
      return hold;
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function createHold(part: string, onEnd: () => void): Holding {
  const kept: { response: ServerResponse; send: () => void }[] = [];
  const end = (act: (one: { response: ServerResponse; send: () => void }) => void) => {
    onEnd();
    for (const one of kept.splice(0)) act(one);
  };
  return {
    part,
    keep: (response, send) => void kept.push({ response, send }),
    count: () => kept.length,
    release: () => end(({ send }) => send()),
    cut: () => end(({ response }) => response.destroy()),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const NOT_PASSED_ON = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

interface Forwarded {
  request: IncomingMessage;
  body: Buffer;
  signal: AbortSignal;
}

async function forward(url: string, { request, body, signal }: Forwarded) {
  const answer = await fetch(url, {
    method: request.method ?? 'GET',
    headers: passedOn(request.headers),
    redirect: 'manual',
    signal,
    ...(body.length > 0 && { body }),
  });
  const text = await answer.text();
  const headers = [...answer.headers].filter(([name]) => !NOT_PASSED_ON.has(name));
  return { status: answer.status, headers: Object.fromEntries(headers), text };
}

function passedOn(headers: IncomingHttpHeaders): [string, string][] {
  return Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)) as [string, string][];
}
