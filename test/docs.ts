/** The documents' blocks of code: what each is, and what is to be done with it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** The address of a service that was started with no settings, and a port of the reader's own, as documents have them. */
export const WRITTEN_URL = 'http://127.0.0.1:8080';
export const WRITTEN_PORT = '3999';

export interface Block {
  /** Where it stands: `docs/quick-start.md:12`, and after how many characters. */
  place: string;
  at: number;
  language: string;
  text: string;
  /** Why it is not run. */
  unrun?: string;
  /** It is a command that goes on running. */
  stays: boolean;
  /** The file it is saved as. */
  file?: string;
  /** What stands behind the language, otherwise. */
  rest: string;
}

/** Paths of all documents. */
export function documents(): string[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md'));
  const paths = ['README.md', 'client/README.md', ...docs.sort().map(name => `docs/${name}`)];
  return paths.filter(path => existsSync(join(ROOT, path)));
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The blocks of a document, in their order; also those inside lists. */
export function blocksOf(path: string): Block[] {
  const text = readDocument(path);
  return [...text.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)\n\1```$/gm)].map(found => {
    const [, indent, info = '', code = ''] = found;
    const [language = '', ...words] = info.trim().split(' ');
    const rest = words.join(' ');
    const line = text.slice(0, found.index).split('\n').length;
    return {
      place: `${path}:${line}`,
      at: found.index,
      language,
      text: code.replaceAll(`\n${indent}`, '\n').replace(new RegExp(`^${indent}`), ''),
      rest,
      stays: rest === 'stays',
      ...(rest.startsWith('no-run:') && { unrun: rest.slice('no-run:'.length).trim() }),
      ...(rest.startsWith('file=') && { file: rest.slice('file='.length) }),
    };
  });
}
