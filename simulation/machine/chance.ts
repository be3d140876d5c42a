/** The one source of chance for everything in a simulated world. */
import { type Chance, createChance } from '../../faults/bed/chance.ts';

let present: Chance = createChance(1);
let fills = 0;

export function beginChance(seed: number): Chance {
  present = createChance(seed);
  return present;
}

export function fillWithChance(bytes: Uint8Array): void {
  fills++;
  for (let at = 0; at < bytes.length; at++) bytes[at] = present.whole(0, 255);
}

/** How often bytes were asked for. */
export function countFills(): number {
  return fills;
}

/** From 0 up to, but not, 1. */
export function anyChance(): number {
  return present.below(1);
}

/** Whoever asks the machine itself for chance gets the seed's as well. */
export function seedGlobals(): void {
  Math.random = anyChance;
  const crypto = globalThis.crypto;
  crypto.getRandomValues = <T>(view: T): T => {
    const { buffer, byteOffset, byteLength } = view as unknown as Uint8Array;
    fillWithChance(new Uint8Array(buffer, byteOffset, byteLength));
    return view;
  };
}
