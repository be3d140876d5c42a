/** `cloverleaf openramp …`: whether a ramp serves the openramp protocol as documented, and the protocol's schema. */
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Command, Option } from 'commander';
import { ulid } from 'ulid';
import { badInput } from '../domain/fault.ts';
import { parseJson, writeJson } from '../domain/json.ts';
import { isProven } from '../engine/proof.ts';
import type { Delivery } from '../providers/contract.ts';
import {
  type Answered,
  type Asked,
  type ConformanceOptions,
  checkRamp,
  type Finding,
  type Ramp,
} from '../providers/openramp/conformance.ts';
import { CHECKS } from '../providers/openramp/conformance-checks.ts';
import { webhook } from '../providers/openramp/orders.ts';
import { VERSION, writeSchema } from '../providers/openramp/schema.ts';

export function openrampCommands(program: Command): void {
  const openramp = program.command('openramp').description('the protocol that any ramp can serve');

  openramp
    .command('check')
    .argument('<url>', 'where the ramp answers')
    .option('--key <key>', 'its key for us; - reads it from standard input')
    .option('--pages-url <url>', 'where its pages live; the origin of the URL unless told')
    .option('--wallet <address>', 'where the coins of the orders that are made would go')
    .option(
      '--answers <file>',
      'JSON: what to answer to forms, by the key of the step; files: {} uploads samples',
    )
    .addOption(
      new Option(
        '--webhook-secret <secret>',
        'its webhook secret (whsec_…): then webhooks are waited for',
      ).env('OPENRAMP_WEBHOOK_SECRET'),
    )
    .option('--webhook-port <port>', 'where they are waited for on this machine', '0')
    .option('--webhook-url <url>', 'where the ramp is told to send them, when it cannot reach this machine')
    .description('make orders that nobody pays, and say what is not as documented')
    .action(async (url: string, options: CheckOptions) => {
      const holds = await check(url, options, ({ what, why }) =>
        console.log(why === undefined ? `ok      ${what}` : `not ok  ${what}: ${why}`),
      );
      if (!holds) process.exitCode = 1;
    });

  openramp
    .command('schema')
    .description('the JSON Schema of everything that is sent and answered')
    .action(() => void process.stdout.write(writeSchema()));
}

export interface CheckOptions {
  key?: string;
  pagesUrl?: string;
  wallet?: string;
  answers?: string;
  webhookSecret?: string;
  webhookPort?: string;
  webhookUrl?: string;
}

/** Makes all checks; whether they hold. */
export async function check(
  url: string,
  options: CheckOptions,
  tell: (finding: Finding) => void,
): Promise<boolean> {
  const base = url.replace(/(?<!\/)\/+$/, '');
  if (!/^https?:\/\//.test(base) || !URL.canParse(base)) throw badInput('url', 'url must be an http address');
  const key = options.key === '-' ? readFileSync(0, 'utf8').trim() : (options.key ?? '');
  const { webhookSecret } = options;
  const mailbox = webhookSecret ? await openMailbox(webhookSecret, options.webhookPort ?? '0') : undefined;
  const wanted: ConformanceOptions = {
    pagesUrl: options.pagesUrl?.replace(/(?<!\/)\/+$/, '') ?? new URL(base).origin,
    webhookUrl: options.webhookUrl ?? mailbox?.url ?? 'https://check.invalid/hooks/check',
    wallet: options.wallet,
    answers: options.answers === undefined ? {} : readAnswers(options.answers),
  };
  try {
    const ramp: Ramp = {
      send: asked => send(base, key, asked),
      reference: () => `check-${ulid()}`,
      ...(mailbox && { hears: mailbox.hears }),
    };
    return await checkRamp(CHECKS, { ramp, options: wanted }, tell);
  } finally {
    await mailbox?.close();
  }
}

function readAnswers(path: string): ConformanceOptions['answers'] {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ConformanceOptions['answers'];
  } catch (error) {
    throw badInput('answers', `answers cannot be read: ${(error as Error).message}`);
  }
}

const PATIENCE_MS = 20_000;
const MOST_BYTES = 16 * 1024 * 1024;

async function send(base: string, known: string, asked: Asked): Promise<Answered> {
  const { method, path, body, file, key = known, version = VERSION } = asked;
  const began = performance.now();
  const response = await fetch(base + path, {
    method,
    redirect: 'manual',
    headers: {
      'openramp-version': version,
      ...(key && { authorization: `Bearer ${key}` }),
      ...(file
        ? { 'content-type': file.type }
        : body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(file ? { body: Buffer.from(file.bytes) } : body !== undefined && { body: writeJson(body) }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  }).catch((error: Error & { cause?: Error }) => {
    throw new Error(`no answer (${error.cause?.message ?? error.message})`);
  });
  const text = await response.text();
  if (text.length > MOST_BYTES) throw new Error('the answer is larger than 16 MiB');
  return { status: response.status, body: jsonIn(text), milliseconds: Math.round(performance.now() - began) };
}

function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

interface Mailbox {
  url: string;
  hears: NonNullable<Ramp['hears']>;
  close(): Promise<void>;
}

const MAIL_MS = 10_000;

/** Takes webhooks in on this machine, and keeps those that are proven. */
async function openMailbox(secret: string, port: string): Promise<Mailbox> {
  const proven = new Set<string>();
  let unproven = 0;
  let odd: string | undefined;
  const waiting = new Set<() => void>();
  const take = (delivery: Delivery) => {
    if (!isProven(webhook.claims(delivery), { now: Date.now(), secrets: () => [secret] })) unproven++;
    else for (const { reference } of webhook.read(delivery)) if (reference) proven.add(reference);
  };
  const server: Server = createServer(async (request, response) => {
    try {
      take(await deliveryOf(request));
    } catch (error) {
      odd = (error as Error).message;
    }
    response.writeHead(204).end();
    for (const wake of waiting) wake();
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', ({ message }) => reject(badInput('webhook-port', `--webhook-port: ${message}`)));
    server.listen(readPort(port), resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/check`,
    async hears(reference) {
      const until = Date.now() + MAIL_MS;
      while (!proven.has(reference) && odd === undefined && Date.now() < until)
        await new Promise<void>(resolve => {
          waiting.add(resolve);
          setTimeout(resolve, until - Date.now()).unref();
        });
      if (proven.has(reference)) return undefined;
      if (odd !== undefined) return `one came that is not as documented: ${odd}`;
      return unproven > 0 ? `${unproven} came, and none was signed as documented` : 'none came';
    },
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function readPort(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw badInput('webhook-port', '--webhook-port must be a port, 0 to 65535');
}

async function deliveryOf(request: IncomingMessage): Promise<Delivery> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) break;
    chunks.push(chunk as Buffer);
  }
  const raw = Buffer.concat(chunks);
  const text = raw.toString('utf8');
  const headers = request.headers as Record<string, string>;
  return { headers, path: request.url ?? '/', search: '', raw, text, body: jsonIn(text) };
}
