/** Remembering what is made of words: the same few come again and again, and looking them up costs less than making it anew. */

/** Words beyond this many are those of strangers, and come but once. */
const MOST = 1_000;

/** Makes the same of a word as `make` does, mostly without asking it again. */
export function remembered(make: (word: string) => string): (word: string) => string {
  const known = new Map<string, string>();
  return word => {
    const before = known.get(word);
    if (before !== undefined) return before;
    const made = make(word);
    if (known.size < MOST) known.set(word, made);
    return made;
  };
}
