/** Raw HTTP that no library would send, and requests with bytes that chance has changed: each is answered, none by a 5xx. */
import { RAW } from '../../test/bad-input/raw.ts';
import { type Answer, send, target } from '../../test/contract/wire.ts';
import type { Chance } from '../bed/chance.ts';
import { each } from '../bed/client.ts';
import type { World } from '../bed/world.ts';
import type { Line } from '../report.ts';

const CHANGED = 5_000;
const CONNECTIONS = 4;
/** Ends a head that has lost its end; after one that has not, it means nothing. */
const ENOUGH = Buffer.from('\r\n\r\n\r\n');

const GOOD = [
  '/supported?type=buy',
  '/quotes/eur/btc?amount=100&country=de',
  '/supported/onramps?source=eur&destination=btc&country=de',
  '/legacy/rate/eur/btc/creditCard/100?country=de',
  '/legacy/gateways?country=de',
  '/transactions?limit=1',
];

export async function tryRaw(
  url: string,
  { small, chance }: World,
): Promise<{ line: Line; examples: string[] }> {
  const examples: string[] = [];
  for (const [what, bytes] of RAW) {
    const { status, body } = await send(url, bytes).catch(silent);
    if (status < 400 || status > 499 || !body?.field)
      examples.push(`raw HTTP: ${what}: ${status || 'no answer'}`);
  }
  const count = small ? CHANGED / 20 : CHANGED;
  await each(Array.from({ length: count }), CONNECTIONS, async () => {
    const bytes = alter(Buffer.from(target(chance.pick(GOOD)), 'latin1'), chance);
    const { status } = await send(url, Buffer.concat([bytes, ENOUGH])).catch(silent);
    // Some changes change nothing: all that is asked for is an answer.
    if (status < 200 || status > 499)
      examples.push(`${status || 'no answer'} ${JSON.stringify(bytes.toString('latin1'))}`);
  });
  const what = `raw HTTP: ${RAW.length} kinds, and ${count} requests with a few bytes changed`;
  return {
    line: { fault: 'F27', what, count: RAW.length + count, violations: examples.length, worst: '' },
    examples,
  };
}

function silent(): Pick<Answer, 'status' | 'body'> {
  return { status: 0, body: undefined };
}

const BYTES = [0, 9, 10, 13, 32, 34, 37, 38, 44, 47, 58, 59, 61, 63, 92, 123, 127, 128, 194, 255];

/** One to four bytes more, less or other than they were. */
function alter(bytes: Buffer, chance: Chance): Buffer {
  let changed = bytes;
  for (let times = chance.whole(1, 4); times > 0; times--) {
    const at = chance.whole(0, changed.length - 1);
    const cut = chance.whole(0, 1);
    const put = chance.whole(0, 2) === 0 ? [] : [chance.pick(BYTES)];
    changed = Buffer.concat([changed.subarray(0, at), Buffer.from(put), changed.subarray(at + cut)]);
  }
  return changed;
}
