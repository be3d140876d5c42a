/** `node:crypto` as the service sees it: all of it, with the seed's chance in the place of the machine's. */
import * as real from 'node:crypto';
import { anyChance, fillWithChance } from './chance.ts';

export * from 'node:crypto';

export function randomBytes(size: number): Buffer {
  const bytes = Buffer.alloc(size);
  fillWithChance(bytes);
  return bytes;
}

export function randomFillSync<T extends NodeJS.ArrayBufferView>(view: T): T {
  fillWithChance(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
  return view;
}

export function randomInt(from: number, to?: number): number {
  const [low, high] = to === undefined ? [0, from] : [from, to];
  return low + Math.floor(anyChance() * (high - low));
}

export function randomUUID(): string {
  const digits = randomBytes(16).toString('hex');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
}

const all = { ...real, randomBytes, randomFillSync, randomInt, randomUUID };
// biome-ignore lint/style/noDefaultExport: packages ask for the module as a whole
export default all;
