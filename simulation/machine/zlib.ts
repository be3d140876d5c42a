/** `node:zlib` as the service sees it: files that every instance compresses at its start are compressed once. */
import { gzipSync as realGzip, type ZlibOptions } from 'node:zlib';

export * from 'node:zlib';

const known = new Map<string, Buffer>();

export function gzipSync(bytes: Buffer, options: ZlibOptions): Buffer {
  const name = bytes.toString('latin1');
  const small = known.get(name) ?? realGzip(bytes, options);
  known.set(name, small);
  return small;
}
