/** The checksums of addresses that are no hash functions: remainders and parities. */

/** CRC-16/XMODEM, high byte first. */
export function crc16(bytes: Uint8Array): Uint8Array {
  let rest = 0;
  for (const byte of bytes) {
    rest ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) rest = ((rest << 1) ^ (rest & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return Uint8Array.of(rest >> 8, rest & 0xff);
}

/** CRC-32 of ISO 3309, high byte first. */
export function crc32(bytes: Uint8Array): Uint8Array {
  let rest = -1;
  for (const byte of bytes) {
    rest ^= byte;
    for (let bit = 0; bit < 8; bit++) rest = (rest >>> 1) ^ (rest & 1 ? 0xedb88320 : 0);
  }
  return Uint8Array.of(~rest >>> 24, (~rest >>> 16) & 0xff, (~rest >>> 8) & 0xff, ~rest & 0xff);
}

/** The forty-bit BCH code of CashAddr; zero where the words are right. */
export function polymod40(words: readonly number[]): bigint {
  let rest = 1n;
  for (const word of words) {
    const carried = rest >> 35n;
    rest = ((rest & 0x07ffffffffn) << 5n) ^ BigInt(word);
    for (const [bit, generator] of CASHADDR_GENERATORS.entries()) {
      if ((carried >> BigInt(bit)) & 1n) rest ^= generator;
    }
  }
  return rest ^ 1n;
}

/** HIP-15: five letters out of the digits of an account and the ledger it is on. */
export function hip15(account: string, ledger: number): string {
  const digits = [...account].map(digit => '0123456789.'.indexOf(digit));
  const sumOf = (odd: number) =>
    digits.reduce((sum, digit, at) => (at % 2 === odd ? sum + digit : sum), 0) % 11;
  const weigh = (numbers: number[], modulus: number) =>
    numbers.reduce((sum, number) => (sum * 31 + number) % modulus, 0);
  const sum =
    (((digits.length % 5) * 11 + sumOf(0)) * 11 + sumOf(1)) * 26 ** 3 +
    weigh(digits, 26 ** 3) +
    weigh([ledger, 0, 0, 0, 0, 0, 0], 26 ** 5);
  let rest = ((sum % 26 ** 5) * 1_000_003) % 26 ** 5;
  let letters = '';
  for (; letters.length < 5; rest = Math.floor(rest / 26)) {
    letters = String.fromCharCode(97 + (rest % 26)) + letters;
  }
  return letters;
}

/** Flow's [64, 45] linear code: zero for an address of the main network, the same for all those of another. */
export function flowParity(address: bigint): number {
  const bits = [...address.toString(2)].reverse();
  return FLOW_COLUMNS.reduce((parity, column, at) => (bits[at] === '1' ? parity ^ column : parity), 0);
}

const CASHADDR_GENERATORS = [0x98f2bc8e61n, 0x79b76d99e2n, 0xf33e5fb3c4n, 0xae2eabe2a8n, 0x1e4f43e470n];

/** The parity-check matrix of "Flow: account addresses", column by column. */
// biome-ignore format: a matrix
const FLOW_COLUMNS = [
  0x00001, 0x00002, 0x00004, 0x00008, 0x00010, 0x00020, 0x00040, 0x00080,
  0x00100, 0x00200, 0x00400, 0x00800, 0x01000, 0x02000, 0x04000, 0x08000,
  0x10000, 0x20000, 0x40000, 0x7328d, 0x6689a, 0x6112f, 0x6084b, 0x433fd,
  0x42aab, 0x41951, 0x233ce, 0x22a81, 0x21948, 0x1ef60, 0x1deca, 0x1c639,
  0x1bdd8, 0x1a535, 0x194ac, 0x18c46, 0x1632b, 0x1529b, 0x14a43, 0x13184,
  0x12942, 0x118c1, 0x0f812, 0x0e027, 0x0d00e, 0x0c83c, 0x0b01d, 0x0a831,
  0x0982b, 0x07034, 0x0682a, 0x05819, 0x03807, 0x007d2, 0x00727, 0x0068e,
  0x0067c, 0x0059d, 0x004eb, 0x003b4, 0x0036a, 0x002d9, 0x001c7, 0x0003f,
];
