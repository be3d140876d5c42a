/** Blocks: the memory that bodies are put together in. It is lent and given back, for what is thrown away lies about for long. */

/** Bytes, in blocks of which only the last has room. */
export interface Bytes {
  blocks: Buffer[];
  size: number;
}

const BLOCK_BYTES = 16_384;
/** As much as twelve providers need at once that all say too much; what is given back beyond is thrown away. */
const MOST_SPARE = 256;

const spare: Buffer[] = [];

export function append(bytes: Bytes, more: Buffer): void {
  for (let at = 0; at < more.length; ) {
    const start = bytes.size % BLOCK_BYTES;
    if (start === 0) bytes.blocks.push(spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES));
    const count = more.copy(bytes.blocks.at(-1) as Buffer, start, at);
    bytes.size += count;
    at += count;
  }
}

/** All of it in one piece, and `last` behind it. */
export function join({ blocks, size }: Bytes, last: Buffer): Buffer {
  const room = blocks.length * BLOCK_BYTES - size;
  const filled = blocks.map((block, at) =>
    at === blocks.length - 1 ? block.subarray(0, BLOCK_BYTES - room) : block,
  );
  return Buffer.concat([...filled, last]);
}

/** Gives the memory back: others will write there, so nobody may look at it any more. */
export function giveBack(bytes: Bytes): void {
  if (bytes.size === 0) return;
  const blocks = bytes.blocks.splice(0);
  bytes.size = 0;
  spare.push(...blocks.slice(0, MOST_SPARE - spare.length));
}
