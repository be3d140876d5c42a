/** File types: what a file is by its first bytes, whatever it is called. */
import type { FileType } from './step.ts';

/** Undefined for anything that no step takes. */
export function typeOfFile(bytes: Uint8Array): FileType | undefined {
  const found = SIGNATURES.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  return found?.[0];
}

const SIGNATURES: readonly [FileType, readonly number[]][] = [
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  // "%PDF-"
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
];
