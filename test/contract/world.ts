/** Instances on one database whose providers stand behind a gate: calls are counted, answers can be replaced, prices stand still. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { createAccount } from '../../src/app/accounts.ts';
import { readConfig } from '../../src/config.ts';
import type { ProviderId } from '../../src/domain/words.ts';
import { currencies, type Service, startService } from '../../src/main.ts';
import { registry } from '../../src/providers/registry.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/server.ts';
import { makeDatabase, type Reply } from '../service.ts';
import { eventually } from './patience.ts';

export const MOONPAY = 'moonpay' as ProviderId;
export const TRANSAK = 'transak' as ProviderId;
export const MERCURYO = 'mercuryo' as ProviderId;
export const PROVIDERS = [MERCURYO, MOONPAY, TRANSAK];

/** Given to every instance, so that several can share a database. */
export const MASTER_KEY = '5f'.repeat(32);

export type Get = (path: string, headers?: Record<string, string>) => Promise<Reply>;

export interface Instance extends Service {
  get: Get;
  /** Everything that was logged. */
  logged(): string;
}

export interface InstanceOptions {
  databaseUrl: string;
  env?: Record<string, string>;
  /** A sandbox that runs already; without it the instance has one of its own. */
  sandboxUrl?: string;
}

export async function startInstance(options: InstanceOptions): Promise<Instance> {
  const { databaseUrl, env, sandboxUrl } = options;
  const dataDir = await mkdtemp(join(tmpdir(), 'cloverleaf-instance-'));
  let lines = '';
  const logTo = new Writable({
    write(chunk, _encoding, done) {
      lines += chunk;
      done();
    },
  });
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, DATABASE_URL: databaseUrl, MASTER_KEY, ...env });
  const service = await startService(config, { logTo, ...(sandboxUrl && { sandboxUrl }) });
  return {
    ...service,
    get: getter(service.url),
    logged: () => lines,
    async close() {
      await service.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** GETs paths of a service; JSON when it is JSON. */
export function getter(url: string): Get {
  return async (path, headers = {}) => {
    const response = await fetch(url + path, { headers, redirect: 'manual' });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text ? JSON.parse(text) : undefined,
    };
  };
}

export interface World extends Instance {
  databaseUrl: string;
  sandbox: Sandbox;
  gate: Gate;
  /** The public key of an account that may use every provider. */
  key: string;
  /** One more instance on the same database, behind the same gate. */
  startAnother(env?: Record<string, string>): Promise<Instance>;
}

export async function startWorld(env: Record<string, string> = {}): Promise<World> {
  const { url: databaseUrl, drop } = await makeDatabase();
  const began = Date.now();
  const sandbox = await startSandbox({
    standins: new Map(registry.map(({ adapter, standin }) => [adapter.manifest.id, standin])),
    currencies,
    host: '127.0.0.1',
    port: 0,
    now: () => began,
  });
  const gate = await openGate(sandbox.url);
  const first = await startInstance({ databaseUrl, env, sandboxUrl: gate.url });
  const { publicKey } = await createAccount(first.database, { name: 'world', environment: 'test' });
  await eventually(async () => {
    const { status } = await first.get('/supported/onramps/all', { authorization: publicKey });
    return status === 200;
  }, 'the account is known');
  return {
    ...first,
    databaseUrl,
    sandbox,
    gate,
    key: publicKey,
    startAnother: more => startInstance({ databaseUrl, env: { ...env, ...more }, sandboxUrl: gate.url }),
    async close() {
      await first.close();
      await gate.close();
      await sandbox.close();
      await drop();
    },
  };
}

export interface Gate {
  url: string;
  /** When each call to a provider came, and for what. */
  calls(provider: ProviderId): readonly { at: number; path: string }[];
  /** What a provider answers to calls whose path holds `part`, until it is taken back. */
  answer(provider: ProviderId, canned: Canned | undefined): void;
  close(): Promise<void>;
}

export interface Canned {
  part: string;
  status: number;
  headers?: Record<string, string>;
  body: string;
}

async function openGate(sandboxUrl: string): Promise<Gate> {
  const seen = new Map<string, { at: number; path: string }[]>();
  const canned = new Map<string, Canned>();
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const provider = path.split('/')[1] ?? '';
    seen.set(provider, [...(seen.get(provider) ?? []), { at: Date.now(), path }]);
    const instead = canned.get(provider);
    if (instead && path.includes(instead.part)) {
      const headers = { 'content-type': 'application/json', ...instead.headers };
      return void response.writeHead(instead.status, headers).end(instead.body);
    }
    // The stand-in's faults may cut the connection; then ours is cut too. Who hangs up on us hangs up on it.
    const stop = new AbortController();
    response.once('close', () => stop.abort());
    forward(sandboxUrl + path, request.headers, stop.signal).then(
      ({ status, headers, text }) => response.writeHead(status, headers).end(text),
      () => response.destroy(),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: provider => seen.get(provider) ?? [],
    answer(provider, instead) {
      if (instead) canned.set(provider, instead);
      else canned.delete(provider);
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const NOT_PASSED_ON = new Set(['host', 'connection', 'content-length', 'transfer-encoding']);

async function forward(url: string, headers: IncomingHttpHeaders, signal: AbortSignal) {
  const passed = Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)) as [string, string][];
  const answer = await fetch(url, { headers: passed, signal });
  const text = await answer.text();
  const kept = [...answer.headers].filter(([name]) => !NOT_PASSED_ON.has(name));
  return { status: answer.status, headers: Object.fromEntries(kept), text };
}
