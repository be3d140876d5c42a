/** Faults: what a stand-in can be told to do wrong, and how it does it. */
import type { ServerResponse } from 'node:http';

/** With webhooks; deliveries are where it happens, and answers are as they should be. */
const WEBHOOK_FAULTS = [
  'webhooks-lost',
  'webhooks-twice',
  'webhooks-shuffled',
  'webhooks-forged',
  'webhooks-late',
] as const;

const ANSWER_FAULTS = [
  'none',
  'slow',
  'hang',
  'error',
  'limited',
  'unauthorized',
  'garbage',
  'truncated',
  'huge',
  'drip',
  'reset',
  'lie',
] as const;

export const FAULT_KINDS = [...ANSWER_FAULTS, ...WEBHOOK_FAULTS] as const;

export type FaultKind = (typeof FAULT_KINDS)[number];

export interface SandboxFault {
  kind: FaultKind;
  /** With `slow`: how long an answer takes. With `webhooks-late`: how late they are. */
  ms: number;
}

export const NO_FAULT: SandboxFault = { kind: 'none', ms: 0 };

/** The honest answer that was about to be sent. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const DRIP_MS = 50;
const HUGE_CHUNK = Buffer.alloc(65_536, ' ');
/** Endless things end all the same, so that a forgotten switch cannot fill a machine. */
const LONGEST_MS = 60_000;

/** Sends the answer, or does what the fault says instead. One that is no fault of answers changes nothing. */
export function respond(response: ServerResponse, answer: Answer, fault: SandboxFault): void {
  const { status, headers, body } = answer;
  const plain = (code: number, text: string, extra: Record<string, string> = {}) => {
    response.writeHead(code, { ...headers, ...extra }).end(text);
  };
  const honest = () => plain(status, body);
  const faults: Partial<Record<FaultKind, () => void>> = {
    slow: () => void setTimeout(honest, fault.ms),
    hang: () => void setTimeout(() => response.destroy(), LONGEST_MS).unref(),
    error: () => plain(500, '{"message":"Internal Server Error"}'),
    limited: () => plain(429, '{"message":"Too Many Requests"}', { 'retry-after': '30' }),
    unauthorized: () => plain(401, '{"message":"Unauthorized"}'),
    garbage: () =>
      plain(200, '<!doctype html><title>502 Bad Gateway</title>', { 'content-type': 'text/html' }),
    truncated: () => plain(200, body.slice(0, body.length >> 1)),
    huge: () => pour(response, headers),
    drip: () => drip(response, answer),
    reset: () => response.socket?.resetAndDestroy(),
  };
  (faults[fault.kind] ?? honest)();
}

function pour(response: ServerResponse, headers: Record<string, string>): void {
  response.writeHead(200, headers);
  response.write('{"padding":"');
  const until = Date.now() + LONGEST_MS;
  const more = () => {
    while (!response.destroyed && Date.now() < until) {
      if (!response.write(HUGE_CHUNK)) return void response.once('drain', more);
    }
    response.destroy();
  };
  more();
}

function drip(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers);
  let sent = 0;
  const timer = setInterval(() => {
    response.write(body[sent++] ?? ' ');
    if (sent * DRIP_MS > LONGEST_MS) response.destroy();
  }, DRIP_MS);
  response.once('close', () => clearInterval(timer));
}
