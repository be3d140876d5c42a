/** What makes a change on the disk last: a rename is kept only when its folder is. */
import * as fs from 'node:fs';

export function syncFolder(folder: string): void {
  const opened = fs.openSync(folder, 'r');
  fs.fsyncSync(opened);
  fs.closeSync(opened);
}
