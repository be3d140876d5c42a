/** X4, calls: whatever URL somebody has events sent to, no connection is made into a network that is not theirs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { each } from '../bed/client.ts';
import { nameFor, PUBLIC_ADDRESS } from '../bed/network.ts';
import type { Line } from '../report.ts';
import { JSON_BODY, proofOf } from './caller.ts';
import { GOOD, LEADING, PRIVATE, REFUSED, WANDERING } from './places.ts';
import { buy, type Scene } from './scene.ts';

/** Endpoints that one account may have at a time are few, and each is tested several times. */
const AT_ONCE = 6;
const TESTS = 3;
const COMMANDS = { small: 2, full: 12 };
const DISPATCH_MS = 30_000;

export async function tryCalls(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const examples: string[] = [];
  const lines: Line[] = [];
  const { small, chance } = scene.world;
  const some = <T>(list: readonly T[]) => (small ? chance.shuffle(list).slice(0, 40) : list);
  for (const [what, work] of [
    ['endpoints that may not be kept', () => addAll(scene, some(REFUSED), examples)],
    ['names that move, tested again and again', () => testAll(scene, some(WANDERING), examples)],
    ['a public site that leads elsewhere', () => testAll(scene, some(LEADING), examples)],
    ['names that move, sent events', () => dispatchAll(scene)],
    ['the command line', () => commandAll(scene, examples)],
    ['a public site: called', () => callGood(scene, examples)],
  ] as const) {
    const before = countOf(scene);
    const { count, violations, worst } = await work();
    const made = countOf(scene);
    for (const one of scene.internet.connections().private.slice(before.made))
      examples.push(`${what}: connected to ${one}`);
    lines.push({
      ...{ fault: 'X4', what, count, worst },
      violations: violations + (made.made - before.made) + (made.trapped - before.trapped),
    });
  }
  return { lines, examples };
}

interface Result {
  count: number;
  violations: number;
  worst: string;
}

function countOf({ internet }: Scene): { made: number; trapped: number } {
  return { made: internet.connections().private.length, trapped: internet.counts.trapped };
}

async function add({ caller, other }: Scene, url: string): Promise<{ status: number; id: string }> {
  const headers = [...proofOf(other), JSON_BODY];
  const heard = await caller.call({
    method: 'POST',
    path: '/webhooks',
    headers,
    body: JSON.stringify({ url }),
  });
  const { id = '' } = heard.status === 201 ? (JSON.parse(heard.text) as { id: string }) : {};
  return { status: heard.status, id };
}

async function remove({ caller, other }: Scene, id: string): Promise<void> {
  await caller.call({ method: 'DELETE', path: `/webhooks/${id}`, headers: proofOf(other) });
}

async function addAll(scene: Scene, urls: readonly string[], examples: string[]): Promise<Result> {
  let violations = 0;
  await each(urls, AT_ONCE, async url => {
    const { status, id } = await add(scene, url);
    if (id) await remove(scene, id);
    if (status === 400) return;
    violations++;
    examples.push(`${JSON.stringify(url)} was answered ${status}`);
  });
  return { count: urls.length, violations, worst: '' };
}

/** Adds each, sends test events to it, and looks whether one was taken that must not have been sent. */
async function testAll(scene: Scene, urls: readonly string[], examples: string[]): Promise<Result> {
  const { caller, other, internet } = scene;
  const before = internet.connections().public.length;
  let [count, violations] = [0, 0];
  await each(urls, AT_ONCE, async url => {
    const { id, status } = await add(scene, url);
    if (!id) {
      violations++;
      return void examples.push(`${url} was answered ${status}`);
    }
    for (let time = 0; time < TESTS; time++) {
      const heard = await caller.call({
        method: 'POST',
        path: `/webhooks/${id}/test`,
        headers: proofOf(other),
      });
      count++;
      if (heard.status === 200) continue;
      violations++;
      examples.push(`a test of ${url} was answered ${heard.status}`);
    }
    await remove(scene, id);
  });
  const allowed = internet.connections().public.length - before;
  return { count, violations, worst: `${allowed} connections to the public site` };
}

/** Events of a purchase: what sends them is not what sends tests. */
async function dispatchAll(scene: Scene): Promise<Result> {
  const { caller, other, world } = scene;
  const urls = [
    ...PRIVATE.slice(0, 4).map(address => `https://${nameFor([address], [address])}/event`),
    ...PRIVATE.slice(0, 4).map(address => `https://${nameFor([PUBLIC_ADDRESS], [address])}/event`),
  ];
  const ids: string[] = [];
  for (const url of urls) ids.push((await add(scene, url)).id);
  for (let time = 0; time < 3; time++) await buy(caller, other, { partnerContext: `dispatched ${time}` });
  const until = Date.now() + DISPATCH_MS;
  const waiting = async () => {
    const [row] = await world.query<{ count: string }>(
      'select count(*) from deliveries where endpoint_id = any($1) and attempts = 0',
      [ids],
    );
    return Number(row?.count);
  };
  while ((await waiting()) > 0 && Date.now() < until) await wait(50);
  const [tried] = await world.query<{ count: string }>(
    'select count(*) from deliveries where endpoint_id = any($1) and attempts > 0',
    [ids],
  );
  const left = await waiting();
  for (const id of ids) await remove(scene, id);
  return { count: Number(tried?.count), violations: left, worst: left > 0 ? `${left} not tried` : '' };
}

/** What operators type goes through the same gate. */
async function commandAll(scene: Scene, examples: string[]): Promise<Result> {
  const { chance, small } = scene.world;
  const urls = chance
    // No argument can be empty, or hold what ends it.
    .shuffle(REFUSED.filter(url => url !== '' && !url.includes('\0')))
    .slice(0, small ? COMMANDS.small : COMMANDS.full);
  let [count, violations] = [0, 0];
  await each(urls, 2, async url => {
    const { code, said } = await command(scene, ['webhook', 'add', scene.other.publicKey, url]);
    count++;
    if (code === 1 && said.startsWith('cloverleaf: url ')) return;
    violations++;
    examples.push(`webhook add ${JSON.stringify(url)} ended with ${code}: ${said.slice(0, 200)}`);
  });
  for (const host of [nameFor(['127.0.0.1']), nameFor(['::1']), nameFor([PUBLIC_ADDRESS, '10.0.0.1'])]) {
    const { id } = await add(scene, `https://${host}/typed`);
    const { code, said } = await command(scene, ['webhook', 'test', id]);
    await remove(scene, id);
    count++;
    if (code === 1 && said.startsWith('not accepted: the URL ')) continue;
    violations++;
    examples.push(`webhook test of ${host} ended with ${code}: ${said.slice(0, 200)}`);
  }
  return { count, violations, worst: '' };
}

async function command(
  { world, internet }: Scene,
  words: readonly string[],
): Promise<{ code: number; said: string }> {
  const file = fileURLToPath(new URL('faults-command.js', import.meta.url));
  const child = spawn(process.execPath, [file, JSON.stringify(internet.order), ...words], {
    env: { ...process.env, ...world.env, ...internet.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { code: Number(code), said: `${out}${err}`.trim() };
}

/** That nobody else was called means something only where this one is. */
async function callGood(scene: Scene, examples: string[]): Promise<Result> {
  const { caller, other, internet } = scene;
  const before = internet.counts.asked;
  const { id } = await add(scene, GOOD);
  const heard = await caller.call({ method: 'POST', path: `/webhooks/${id}/test`, headers: proofOf(other) });
  await remove(scene, id);
  const asked = internet.counts.asked - before;
  if (asked === 1 && heard.text.includes('"accepted":true')) return { count: 1, violations: 0, worst: '' };
  examples.push(`the public site was asked ${asked} times: ${heard.text}`);
  return { count: 1, violations: 1, worst: '' };
}
