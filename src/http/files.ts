/** Files that are served by name: those of one folder, and nothing else. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Finds the path of a file in the folder; undefined when there is none of that name. */
export function createFiles(folder: string): (name: string) => string | undefined {
  const names = new Set(existsSync(folder) ? readdirSync(folder) : []);
  return name => (names.has(name) ? join(folder, name) : undefined);
}
