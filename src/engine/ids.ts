/** Ids: ULIDs, whose random part is drawn from bytes fetched many at a time. */
import { randomFillSync } from 'node:crypto';
import { ulid } from 'ulid';

const pool = new Uint8Array(4_096);
let left = 0;

export function newId(at: number): string {
  return ulid(at, chance);
}

/** The library asks for a fraction per character, and for one alone the system takes longer than for thousands. */
function chance(): number {
  if (left === 0) {
    randomFillSync(pool);
    left = pool.length;
  }
  left -= 1;
  return (pool[left] as number) / 256;
}
