/** X7, desync: after whatever anybody has sent, the next one on the same connection gets the answer to what they asked. */
import { connect } from 'node:net';
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { ATTACKS, type Attack, SMUGGLED } from './attacks.ts';
import { type Gate, startProxies } from './proxies.ts';
import type { Scene } from './scene.ts';

/** An attacker that is not answered is left alone after this long, and one that is after so long a silence. */
const PATIENCE_MS = 1_000;
const SILENCE_MS = 60;
const MARKER_MS = 15_000;
const MARKER_SILENCE_MS = 400;
/** Markers that follow each attack over the one connection that all share. */
const MARKERS = 2;
const AT_ONCE = 6;

export async function tryDesync({ world, caller }: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const examples: string[] = [];
  const servicePort = Number(new URL(caller.url).port);
  const attacks = world.small ? world.chance.shuffle(ATTACKS).slice(0, 24) : ATTACKS;
  const direct = await attackDirectly(servicePort, attacks, examples);
  const gates = await startProxies(world.folder, servicePort);
  try {
    const through = await Promise.all(gates.map(gate => attackThrough(gate, attacks, examples)));
    return { lines: [direct, ...through], examples };
  } finally {
    for (const gate of gates) await gate.close();
  }
}

/** The attack and a marker in one go, on a connection of their own: the marker gets its own answer, or none. */
async function attackDirectly(port: number, attacks: readonly Attack[], examples: string[]): Promise<Line> {
  let [violations, unanswered] = [0, 0];
  await each(attacks, AT_ONCE, async ({ name, bytes, isTwo }) => {
    const both = Buffer.concat([bytes, markerOf('/marker-direct')]);
    const heard = await send(port, both, { ms: PATIENCE_MS, silenceMs: PATIENCE_MS });
    const flaw = flawOf(heard, isTwo);
    if (heard === '') unanswered++;
    if (!flaw) return;
    violations++;
    examples.push(`directly, ${name}: ${flaw}: ${heard.slice(0, 300)}`);
  });
  return {
    ...{ fault: 'X7', what: 'attack and marker on one connection', count: attacks.length, violations },
    worst: unanswered > 0 ? `${unanswered} cut without an answer` : '',
  };
}

function flawOf(heard: string, isTwo: boolean): string | undefined {
  if (!isTwo && heard.includes(SMUGGLED)) return 'a body was taken for a request';
  const answers = heard.match(/HTTP\/1\.1 [1-5]\d\d /g) ?? [];
  const interim = heard.match(/HTTP\/1\.1 1\d\d /g) ?? [];
  const most = isTwo ? 3 : 2;
  return answers.length - interim.length > most ? `${answers.length} answers to ${most} requests` : undefined;
}

/** The attack from one caller, markers from another, over one connection from the proxy to the service. */
async function attackThrough(
  { name: proxy, port }: Gate,
  attacks: readonly Attack[],
  examples: string[],
): Promise<Line> {
  let violations = 0;
  let serial = 0;
  const passed = new Map<string, number>();
  for (const { name, bytes } of attacks) {
    const attacked = send(port, bytes);
    for (let time = 0; time < MARKERS; time++) {
      const path = `/marker-${++serial}`;
      const heard = await send(port, markerOf(path), { ms: MARKER_MS, silenceMs: MARKER_SILENCE_MS });
      if (heard.includes(`There is nothing at ${path}"`) && !heard.includes(SMUGGLED)) continue;
      violations++;
      examples.push(`${proxy}, ${name}: ${path} heard ${JSON.stringify(heard.slice(0, 300))}`);
    }
    const [, status = 'cut'] = /^HTTP\/1\.[01] (\d+)/.exec(await attacked) ?? [];
    passed.set(status, (passed.get(status) ?? 0) + 1);
  }
  const answers = [...passed].sort().map(([status, times]) => `${status}: ${times}`);
  return {
    ...{
      fault: 'X7',
      what: `markers after attacks through ${proxy}`,
      count: attacks.length * MARKERS,
      violations,
    },
    worst: answers.join(', '),
  };
}

function markerOf(path: string): Buffer {
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
}

/** Sends bytes and hears everything there is, until the other side hangs up or nothing more comes. */
function send(
  port: number,
  bytes: Buffer,
  patience = { ms: PATIENCE_MS, silenceMs: SILENCE_MS },
): Promise<string> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let heard = '';
    let timer = setTimeout(() => socket.destroy(), patience.ms);
    socket.on('data', chunk => {
      heard += chunk.toString('latin1');
      clearTimeout(timer);
      timer = setTimeout(() => socket.destroy(), patience.silenceMs);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(heard);
    });
  });
}
