/** Statements: what kind each is, as far as it matters to whoever carries it out. */

export interface Statement {
  text: string;
  values: readonly unknown[];
}

export interface Traits {
  isBeginning: boolean;
  isEnding: boolean;
  /** Reads, and takes no lock on any row. */
  isReading: boolean;
  /** Takes a lock that outlives the transaction, or lets go of it. */
  isLocking: boolean;
  isUnlocking: boolean;
  /** Asks what the database is made of. */
  isCatalog: boolean;
  isWriting: boolean;
  /** Asks for its own moment, whenever its transaction began. */
  isDated: boolean;
}

export const BEGIN: Statement = { text: 'begin', values: [] };
export const ROLLBACK: Statement = { text: 'rollback', values: [] };
/** What `statement_timestamp()` is from now on, in milliseconds since 1970. */
export const dated = (at: number): Statement => ({
  text: "select set_config('simulation.moment', $1, false)",
  values: [String(at / 1000)],
});
export const UNLOCK: Statement = { text: 'select pg_advisory_unlock_all()', values: [] };

const known = new Map<string, Traits>();

/** Each text is looked at once. */
export function traitsOf({ text }: Statement): Traits {
  const traits = known.get(text) ?? read(text);
  known.set(text, traits);
  return traits;
}

function read(text: string): Traits {
  const isTaking = /\bfor (no key )?(update|share|key share)\b|lock\b/.test(text);
  return {
    isBeginning: text === BEGIN.text,
    isEnding: text === 'commit' || text === ROLLBACK.text,
    isReading: /^\s*select\b/.test(text) && !isTaking,
    isLocking: /\bpg_advisory_lock\b/.test(text),
    isUnlocking: /\bpg_advisory_unlock\b/.test(text),
    isCatalog: /"pg_catalog"\."pg_attribute"/.test(text),
    isWriting: /\b(insert|update|delete)\b/.test(text),
    isDated: /\bstatement_timestamp\b/.test(text),
  };
}

const SINGLE = /^\s*(\/\*[^*]*\*\/\s*)?(select|insert|update|delete|with|begin|commit|rollback)\b[^;]*$/i;

/** What cannot be prepared: definitions of tables, and several statements in one. */
export function isScript({ text, values }: Statement): boolean {
  return values.length === 0 && !SINGLE.test(text);
}
