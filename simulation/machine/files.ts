/** `node:fs/promises` as the service sees it: reading takes no time, and each file is read once. */
import { readFileSync } from 'node:fs';

export * from 'node:fs/promises';

const known = new Map<string, Buffer>();

export async function readFile(path: string, encoding?: BufferEncoding): Promise<Buffer | string> {
  const bytes = known.get(path) ?? readFileSync(path);
  known.set(path, bytes);
  return encoding ? bytes.toString(encoding) : bytes;
}
