/** A small volume in memory, which can be filled to the last byte and emptied again. */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface Volume {
  path: string;
  /** Takes all the space there is. */
  fill(): void;
  free(): void;
  close(): void;
}

const CHUNK = Buffer.alloc(65_536);

/** Throws where mounting is not allowed: that takes root. */
export function openVolume(path: string, megabytes: number): Volume {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', path], {
    stdio: 'pipe',
  });
  const ballast = join(path, 'ballast');
  const close = () => {
    try {
      // Whoever still has a file open there lets go of it soon: then it is gone by itself.
      execFileSync('umount', ['--lazy', path], { stdio: 'pipe' });
    } catch {
      // It is gone already.
    }
  };
  process.once('exit', close);
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a');
      try {
        for (let size = CHUNK.length; size > 0; size = Math.floor(size / 2)) writeAll(file, size);
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
    close,
  };
}

/** Writes pieces of that size until there is no room for another. */
function writeAll(file: number, size: number): void {
  try {
    for (;;) if (writeSync(file, CHUNK, 0, size) < size) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
}
