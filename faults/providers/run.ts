/** The run of providers: slow, silent, refusing, raving, flooding, cut off, lying, and all of them gone. */
import type { Section } from '../report.ts';
import { tryAnswers } from './answers.ts';
import { tryCuts } from './cuts.ts';
import { type Findings, together } from './findings.ts';
import { tryFloods } from './floods.ts';
import { tryOutage } from './outage.ts';
import { tryRefusals } from './refusals.ts';
import { openScene, type Scene } from './scene.ts';
import { trySilence } from './silence.ts';
import { tryTime } from './time.ts';

/** Answers come first: one database has both casts, and whoever is up takes on what there is to ask of anybody. */
const PARTS: readonly ((scene: Scene) => Promise<Findings>)[] = [
  ...[tryAnswers, tryTime, trySilence, tryRefusals, tryFloods, tryCuts, tryOutage],
];

export async function runProviders(small: boolean, seed: number): Promise<Section> {
  const began = performance.now();
  const scene = await openScene(small, seed);
  const found: Findings[] = [];
  try {
    for (const part of PARTS) found.push(await part(scene));
  } finally {
    await scene.close();
  }
  const seconds = Math.round((performance.now() - began) / 1000);
  return { run: 'providers', seed, seconds, ...together(found) };
}
