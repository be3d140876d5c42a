/** Patterns: every regular expression of the source, and texts that would make a bad one search for very long. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Pattern {
  file: string;
  source: string;
  flags: string;
}

/** All that are written out in a folder, and those of schemas. */
export function readPatterns(folder: string): Pattern[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .flatMap(name => {
      const text = readFileSync(join(folder, name), 'utf8');
      return [...literalsOf(text), ...schemasOf(text)].map(found => ({ file: name, ...found }));
    });
}

type Found = Omit<Pattern, 'file'>;

/** What a slash follows where it begins a pattern: after a value it divides. */
const BEFORE = /(?:^|[(,=:[!&|?{};>]|\breturn|\bcase)$/;
const LITERAL = /^\/((?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+)\/([dgimsuvy]*)/;
/** Where nothing is a pattern: comments and texts. */
const ASIDE = /^(?:\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`)/;

function literalsOf(text: string): Found[] {
  const found: Found[] = [];
  let before = '';
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at, at + LONGEST);
    const literal = rest.startsWith('/') && BEFORE.test(before.trimEnd()) ? LITERAL.exec(rest) : null;
    const aside = literal && !/^\/[/*]/.test(rest) ? null : ASIDE.exec(rest);
    const [whole, source = '', flags = ''] = aside ?? literal ?? [rest[0] ?? ''];
    if (!aside && literal) found.push({ source, flags });
    // A comment is nothing, a text is a value.
    if (!aside || !/^\/[/*]/.test(whole)) before = aside || literal ? ')' : (before + whole).slice(-10);
    at += whole.length;
  }
  return found;
}

/** Comments and texts are shorter. */
const LONGEST = 4_000;

/** Schemas are checked with patterns of theirs, in Unicode. */
function schemasOf(text: string): Found[] {
  return [...text.matchAll(/\bpattern: '((?:\\.|[^'\\\n])+)'/g)].map(([, source = '']) => ({
    source: source.replaceAll('\\\\', '\\').replaceAll("\\'", "'"),
    flags: 'u',
  }));
}

/** The longest time that a pattern takes for any text made to be hard for it, in milliseconds of this process's work. */
export function hardestOf({ source, flags }: Pattern, patience: number): { ms: number; text: string } {
  if (!ENDLESS.test(source)) return { ms: 0, text: '' };
  const pattern = new RegExp(source, flags.replace('g', ''));
  let hardest = { ms: 0, text: '' };
  for (const [prefix, pump] of hardTexts(source, flags)) {
    const ms = timeOf(pattern, `${prefix}${pump.repeat(LENGTH / pump.length)}\u0000`, patience);
    if (ms > hardest.ms) hardest = { ms, text: `${prefix}${pump}…` };
    if (ms > patience) break;
  }
  return hardest;
}

const LENGTH = 64 * 1024;
/** What is repeated without an end, or nearly so; anything else takes a few steps for each character. */
const ENDLESS = /[*+]|\{\d+,\}|\{(?:\d+,)?\d{3,}\}/;
const TRIES = 3;

/** The best of three: whatever else the process does is not the pattern's doing. */
function timeOf(pattern: RegExp, text: string, patience: number): number {
  // Those that are hopeless show it on a part of the text, and would take minutes for all of it.
  for (let length = 256; length < LENGTH; length *= 4) {
    const part = clock(pattern, text.slice(0, length) + text.slice(-1));
    if (part > patience) return part;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < TRIES && best > patience / 4; tries++)
    best = Math.min(best, clock(pattern, text));
  return best;
}

function clock(pattern: RegExp, text: string): number {
  const before = process.cpuUsage();
  // One that sticks goes on from where it was.
  pattern.lastIndex = 0;
  pattern.test(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Texts as a beginning and what is said again and again: of each thing the pattern may match, and of each two in a row. */
function hardTexts(source: string, flags: string): [prefix: string, pump: string][] {
  const atoms = atomsOf(source, flags);
  const found = new Map<string, [string, string]>();
  for (const [at, atom] of atoms.entries()) {
    const prefix = atoms.slice(0, at).join('');
    for (const pump of [
      atom,
      atom + (atoms[at + 1] ?? ''),
      atom + (atoms[at + 1] ?? '') + (atoms[at + 2] ?? ''),
    ])
      for (const start of ['', prefix]) found.set(`${start}|${pump}`, [start, pump]);
  }
  return [...found.values()].slice(0, MOST_TEXTS);
}

const MOST_TEXTS = 60;
const ATOM =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\k<\w+>|\\[^\n]|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<\w+>)|\{\d+,?\d*\}|[\s\S]/giu;
/** What says where or how often, and matches nothing itself. */
const MARKS = /^(?:[()|^$*+?]|\(\?.*|\{\d+,?\d*\}|\\[bBk].*|\\\d)$/;
const SAMPLES = [...'a0 A-."/%&<@_:=,\n', 'é', '\u0001'];

/** A text for each thing of which the pattern is made. */
function atomsOf(source: string, flags: string): string[] {
  return (source.match(ATOM) ?? []).flatMap(atom => {
    if (MARKS.test(atom)) return [];
    if (!/^[\\[.]/.test(atom)) return [atom];
    const one = new RegExp(`^${atom}$`, flags.replace(/[gy]/g, ''));
    return SAMPLES.filter(sample => one.test(sample)).slice(0, 1);
  });
}
