/** A roll: functions to be called when something happens, unless they are struck off before. */

export interface Roll {
  /** Puts a function on the roll; what is returned strikes it off. */
  add(callback: () => void): () => void;
  /** Takes everybody off; what is returned calls them, but for those who are struck off until then. */
  dismiss(): () => void;
  clear(): void;
}

interface Entry {
  /** Until it is struck off. */
  callback: (() => void) | undefined;
  place: number;
}

/**
 * A list, not a Set: V8 replaces the table of a Set ever so often, and a table that has grown old keeps the next one alive
 * with all that is on it, long after anybody needs it.
 */
export function createRoll(): Roll {
  let entries: Entry[] = [];

  function strike(entry: Entry): void {
    entry.callback = undefined;
    if (entries[entry.place] !== entry) return;
    const last = entries.pop() as Entry;
    if (last === entry) return;
    entries[entry.place] = last;
    last.place = entry.place;
  }

  return {
    add(callback) {
      const entry = { callback, place: entries.length };
      entries.push(entry);
      return () => strike(entry);
    },
    dismiss() {
      const dismissed = entries;
      entries = [];
      return () => {
        for (const { callback } of dismissed) callback?.();
      };
    },
    clear() {
      entries = [];
    },
  };
}
