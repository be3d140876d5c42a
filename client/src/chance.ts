/** Chance: keys nobody else has, and fractions to spread tries in time. */

/** 128 bits in hex digits; unlike `crypto.randomUUID` it is there on plain http too. */
export function randomKey(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}

/** From 0 up to 1. */
export function randomFraction(): number {
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');
}
