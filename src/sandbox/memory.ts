/** A stand-in's memory: everything it was told to keep, up to a number; then the oldest is forgotten. */
import type { Memory } from '../providers/world.ts';

const MOST = 10_000;

export function createMemory<T>(most = MOST): Memory<T> {
  const kept = new Map<string, T>();
  return {
    get: key => kept.get(key),
    put(key, value) {
      kept.set(key, value);
      if (kept.size <= most) return;
      for (const oldest of kept.keys()) {
        kept.delete(oldest);
        break;
      }
    },
    find: fits => [...kept.values()].filter(fits),
  };
}
