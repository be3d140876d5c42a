/** A kind of parameter: what it may be, and texts it may not be. The rule is written anew here, for it judges the readers. */

export interface Kind {
  name: string;
  /** A text that is taken. */
  good: string;
  /** Texts that must be refused, in clear; `takes` agrees. */
  seeds: readonly string[];
  /** Why a text is taken; undefined when it must be refused. */
  takes(text: string): string | undefined;
  /** Whether `takes` knows of every text, so that chance may change the good one anyhow; true where nothing is said. */
  isExact?: boolean;
}

/** Texts that are wrong for every kind there is. */
export const NASTY = [
  ...[
    ' ',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    'null ',
    'undefined\n',
    '\u0000',
    '\u202e',
  ],
  ...[
    '../../etc/passwd',
    '%2e%2e',
    '<script>',
    "' or '1'='1",
    '; drop table accounts --',
    '{{7*7}}',
    '[object Object]',
  ],
  ...['\r\nX-Injected: 1', '\u001b[31m', '*', '[]', '{}', '{"a":1}', '🇩🇪', '\u0000'.repeat(64)],
];

/** One of a few words, exactly as they are spelled. */
export function oneOf(name: string, words: readonly string[], seeds: readonly string[] = []): Kind {
  const [good = ''] = words;
  return {
    name,
    good,
    seeds: ['', ...seeds, ...NASTY],
    takes: text => (words.includes(text) ? `${text} is one of the words` : undefined),
  };
}

/** One of many words, in any case. */
export function wordOf(
  name: string,
  good: string,
  { words, seeds = [] }: { words: ReadonlySet<string>; seeds?: readonly string[] },
): Kind {
  return {
    name,
    good,
    seeds: ['', 'nope', ...seeds, ...NASTY],
    takes: text =>
      isAscii(text) && words.has(text.toLowerCase()) ? 'names are read in any case' : undefined,
  };
}

/** Whatever fits a pattern. */
export function like(
  name: string,
  good: string,
  { pattern, seeds }: { pattern: RegExp; seeds: readonly string[] },
): Kind {
  return {
    name,
    good,
    seeds: [...seeds, ...NASTY].filter(text => !pattern.test(text)),
    takes: text => (pattern.test(text) ? 'it has the form that is asked for' : undefined),
  };
}

/** Whatever the service knows of itself: no text that was changed is taken. */
export function ours(name: string, good: string, seeds: readonly string[]): Kind {
  return {
    name,
    good,
    seeds: [...seeds, ...NASTY],
    takes: text => (text === good ? 'it is the one that was given out' : undefined),
  };
}

/** What is wrong in every text, and is said so: of these there is no good one. */
export function never(name: string, good: string, seeds: readonly string[]): Kind {
  return { name, good, seeds: [good, ...seeds, ...NASTY], takes: () => undefined };
}

/** What is left aside where it cannot be used, and why that is right. */
export function lenient(name: string, good: string, reason: string): Kind {
  return { name, good, seeds: [], takes: () => reason };
}

export function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}
