/** Bench Bvii: what one provider more costs, from one provider to sixty-four. */
import type { Child } from './child.ts';
import { median, rotate } from './figures.ts';
import { measureCost, QUICK_PACE, warmUp } from './quotes.ts';
import { type Row, short } from './table.ts';
import type { World } from './world.ts';

const SIZES = [1, 2, 4, 8, 12, 24, 48, 64];
const QUICK_SIZES = [8, 64];
const FEW = 8;
const MANY = 64;

/** One size at one server. */
interface Target {
  name: string;
  server: Child;
  size: number;
}

export async function benchGrowth(world: World): Promise<Row[]> {
  const { quick, rounds } = world.pacing;
  const sizes = quick ? QUICK_SIZES : SIZES;
  await world.order({ pace: QUICK_PACE, faults: {} });
  const limit = await world.startBaseline('limit');
  const targets: Target[] = await Promise.all(
    sizes.map(async size => ({ name: `ours ${size}`, server: await world.startService(size), size })),
  );
  for (const size of QUICK_SIZES) targets.push({ name: `limit ${size}`, server: limit, size });
  const costs = new Map<string, number[]>(targets.map(({ name }) => [name, []]));
  const milliseconds = quick ? 700 : 2_000;
  for (const { server, size } of targets) await warmUp(server, size, milliseconds);
  for (let round = 0; round < Math.min(3, rounds); round++) {
    for (const { name, server, size } of rotate(targets, round)) {
      const { cpu } = await measureCost(server, size, milliseconds);
      costs.get(name)?.push((cpu * 1000) / size);
    }
  }
  for (const server of new Set(targets.map(target => target.server))) await server.stop();

  const cost = (name: string) => median(costs.get(name) ?? []);
  const base = cost(`ours ${FEW}`);
  return sizes.map(size => ({
    bench: 'Bvii',
    what: `CPU per provider with ${size}, over that with ${FEW}`,
    ours: `${short(cost(`ours ${size}`))} µs`,
    baseline: QUICK_SIZES.includes(size) ? `limit ${limitText(size, cost)}` : '',
    figure: cost(`ours ${size}`) / base,
    ...(size === MANY && { goal: { id: 'G8', most: 1.05 } }),
  }));
}

function limitText(size: number, cost: (name: string) => number): string {
  const own = cost(`limit ${size}`);
  return `${short(own)} µs, ${short(own / cost(`limit ${FEW}`))} x`;
}
