/** A stage for stand-ins: the sandbox with all of them, a receiver of webhooks, and a browser that presses buttons. */
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { currencies } from '../src/main.ts';
import { registry } from '../src/providers/registry.ts';
import { type Sandbox, startSandbox } from '../src/sandbox/server.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
export const WALLET = 'bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy';
export const EVM = '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5';
export const BACK = 'https://shop.example/back?id=1';

interface Hook {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

/** What is on it: the time, the webhooks that came, and what the next ones are answered with. */
export const stage = {} as { now: number; hooks: Hook[]; answers: number[]; sandbox: Sandbox };

let due: { at: number; act: () => void }[] = [];
let troubles: unknown[] = [];
let receiver: Server;
/** Requests that have no answer yet, webhooks on their way among them. */
let underWay = 0;

/** What can be done on it. */
const acts = { stage, ask, breathe, heard, open, pass, post, press, reload, signIn, texts };

/** Sets it up for each test of a file, and makes sure that nothing is left on it. */
export function setStage(): typeof acts {
  beforeEach(async () => {
    Object.assign(stage, { now: NOON, hooks: [], answers: [] });
    [due, troubles] = [[], []];
    receiver = createServer((request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', chunk => {
        text += chunk;
      });
      request.on('end', () => {
        stage.hooks.push({ path: request.url ?? '', headers: request.headers, text });
        response.writeHead(stage.answers.shift() ?? 200).end();
      });
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    stage.sandbox = await startSandbox({
      standins: new Map(registry.map(({ adapter, standin }) => [adapter.manifest.id, standin])),
      currencies,
      host: '127.0.0.1',
      port: 0,
      now: () => stage.now,
      later(ms, act) {
        const entry = { at: stage.now + ms, act };
        due.push(entry);
        return () => {
          due = due.filter(other => other !== entry);
        };
      },
      onError: error => troubles.push(error),
    });
    watchFetch();
    stage.sandbox.deliverTo(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`);
  });

  afterEach(async () => {
    await stage.sandbox.close();
    receiver.closeAllConnections();
    await new Promise(resolve => receiver.close(resolve));
    vi.mocked(fetch).mockRestore();
    expect(troubles).toEqual([]);
    expect(due).toEqual([]);
  });
  return acts;
}

/** Counts what is under way; everything is sent all the same. */
function watchFetch(): void {
  const send = globalThis.fetch;
  underWay = 0;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (...given) => {
    underWay++;
    try {
      return await send(...given);
    } finally {
      underWay--;
    }
  });
}

/** Lets time pass; what falls due in it is done in its order. */
async function pass(ms: number): Promise<void> {
  const until = stage.now + ms;
  for (;;) {
    const [next] = due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    if (!next) break;
    due = due.filter(entry => entry !== next);
    stage.now = next.at;
    next.act();
    await breathe();
  }
  stage.now = until;
}

/** Everything that was sent arrives, and what follows from the answers is begun. */
async function breathe(): Promise<void> {
  for (let quiet = 0; quiet < QUIET_TURNS; ) {
    await (underWay > 0 ? wait(1) : turn());
    quiet = underWay > 0 ? 0 : quiet + 1;
  }
}

const QUIET_TURNS = 3;

/** So many webhooks have come when all have arrived, and no more. */
async function heard(count: number): Promise<Hook[]> {
  await breathe();
  expect(stage.hooks.length).toBe(count);
  return stage.hooks;
}

export interface View {
  status: number;
  url: string;
  text: string;
  headers: Headers;
  stage: string;
  standing: string;
}

/** Opens a page as a browser does. */
async function open(url: string, options: RequestInit = {}): Promise<View> {
  const response = await fetch(url, { ...options, redirect: 'manual' });
  const text = await response.text();
  if (response.status === 303) {
    const cookie = response.headers.get('set-cookie');
    const view = await open(new URL(response.headers.get('location') ?? '', url).href);
    return {
      ...view,
      headers: cookie ? new Headers({ ...Object.fromEntries(view.headers), cookie }) : view.headers,
    };
  }
  return {
    ...{ status: response.status, url, text, headers: response.headers },
    stage: /data-stage="(\w+)"/.exec(text)?.[1] ?? '',
    standing: /data-standing="(\w+)"/.exec(text)?.[1] ?? '',
  };
}

/** Presses a button of the page; the fields of its form keep what stands in them unless told otherwise. */
async function press(page: View, action: string, fields: Record<string, string> = {}): Promise<View> {
  const form = [...page.text.matchAll(/<form[\s\S]*?<\/form>/g)].find(([one]) =>
    one.includes(`data-action="${action}"`),
  )?.[0];
  if (!form) throw new Error(`no button for ${action} on the page of ${page.stage}`);
  const target = new RegExp(`formaction="([^"]*)" data-action="${action}"`).exec(form)?.[1] ?? '';
  const filled = new Map<string, string>();
  for (const [input] of form.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1] ?? '';
    if (!/type="radio"/.test(input) || / checked/.test(input))
      filled.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '');
  }
  const chosen = /<select name="(\w+)"[\s\S]*?<option value="(\w+)" selected/.exec(form);
  if (chosen) filled.set(chosen[1] ?? '', chosen[2] ?? '');
  const body = new URLSearchParams([...filled, ...Object.entries(fields)]);
  const known = new Set([...filled.keys(), '']);
  expect(Object.keys(fields).filter(name => !known.has(name))).toEqual([]);
  return open(new URL(target, page.url).href, { method: 'POST', body });
}

async function signIn(page: View): Promise<View> {
  return press(await press(page, 'email', { email: 'jane@example.com' }), 'code', { code: '123456' });
}

function reload(page: View): Promise<View> {
  return open(page.url);
}

/** The credentials that a provider's stand-in knows. */
export function settingsOf(provider: string): Readonly<Record<string, string>> {
  const { standin } = registry.find(
    ({ adapter }) => adapter.manifest.id === provider,
  ) as (typeof registry)[0];
  return standin.settings;
}

/** What the providers' documents say of signatures, without any of our own code. */
export const hmac = (key: string, text: string, encoding: 'hex' | 'base64' | 'base64url') =>
  createHmac('sha256', key).update(text).digest(encoding);

export function sha512(text: string): string {
  return createHash('sha512').update(text).digest('hex');
}

export async function post(path: string, headers: Record<string, string>, body: unknown) {
  const response = await fetch(`${stage.sandbox.url}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as { data: Record<string, string> } };
}

async function ask(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(`${stage.sandbox.url}${path}`, { method, headers });
  const text = await response.text();
  return { status: response.status, body: text ? JSON.parse(text) : undefined };
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into payloads freely
export type Loose = any;

/** What was said, as the provider's own documents have it proven. */
function texts(path: string): string[] {
  return stage.hooks.map(hook => {
    expect(hook.path).toBe(path);
    return hook.text;
  });
}

/** A token with another signature. Its first digit, since the last ones of some are zeros more often than not. */
export function spoilt(token: string): string {
  const at = token.lastIndexOf('.') + 1;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}
