/** The run of the security counts: whoever has no right to something does not get it, and what must not be told is not. */
import { openWorld } from '../bed/world.ts';
import { type Line, type Section, say } from '../report.ts';
import { tryAlterations } from './alterations.ts';
import { tryCalls } from './calls.ts';
import { reviewCanaries } from './canaries.ts';
import { tryDesync } from './desync.ts';
import { tryMatrix } from './matrix.ts';
import { tryPages } from './pages.ts';
import { tryRedirects } from './redirects.ts';
import { type Scene, setScene } from './scene.ts';
import { tryStrangers } from './strangers.ts';
import { tryWhereabouts } from './whereabouts.ts';

type Count = (scene: Scene) => Promise<{ lines: readonly Line[]; examples: readonly string[] }>;

const COUNTS: readonly (readonly [name: string, count: Count])[] = [
  ['X1', tryMatrix],
  ['X2', tryStrangers],
  ['X3', tryAlterations],
  ['X4', tryCalls],
  ['X5', tryRedirects],
  ['X6', tryPages],
  ['X7', tryDesync],
  ['X9', tryWhereabouts],
  // Last, when everything has been said.
  ['X8', reviewCanaries],
];

export async function runSecurity(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const world = await openWorld({ name: 'security', small, seed, accounts: 4 });
  const lines: Line[] = [];
  const examples: string[] = [];
  try {
    const scene = await setScene(world);
    try {
      for (const [name, count] of COUNTS) {
        const since = performance.now();
        const found = await count(scene);
        lines.push(...found.lines);
        examples.push(...found.examples.map(example => `${name}: ${example}`));
        say(`${name} counted in ${((performance.now() - since) / 1000).toFixed(1)} s`);
      }
    } finally {
      await scene.close();
    }
  } finally {
    await world.close();
  }
  return { run: 'security', seed, seconds: Math.round((performance.now() - began) / 1000), lines, examples };
}
