/** Head forms: a server begins its answers nearly alike each time, so of a beginning that is known only what differs is read. */
import { escaped } from '../domain/pattern.ts';
import { apart, type Head, type Headers, nameAt, readHead, trimmed } from './headers.ts';

/** What the beginnings of many answers have in common. */
interface Form {
  lines: readonly string[];
  /** Those that are not always the same. */
  varying: ReadonlySet<number>;
  /** Finds what they say, where that means something to us, in a head of this form, and nothing in any other. */
  pattern: RegExp;
  blanks: readonly (keyof Headers)[];
  head: Head;
}

/** What learning costs is spent so often at most: where each answer begins otherwise, each is read in full. */
const MOST_LESSONS = 50;
/** What `readHead` lets stand behind a name. */
const VALUE = '[\\t\\x20-\\x7e\\x80-\\xff]*';

/** Reads as `readHead` does. */
export function createHeadReader(): (text: string) => Head {
  let form: Form | undefined;
  let lessons = MOST_LESSONS;

  return text => {
    const filled = form?.pattern.exec(text);
    if (form && filled) return fillIn(form, filled);
    const head = readHead(text);
    if (lessons-- > 0) form = learn(form, apart(text));
    return head;
  };
}

function fillIn({ head, blanks }: Form, filled: readonly string[]): Head {
  if (blanks.length === 0) return head;
  const headers = { ...head.headers };
  for (let at = 0; at < blanks.length; at++) {
    headers[blanks[at] as keyof Headers] = trimmed(filled[at + 1] as string);
  }
  return { ...head, headers };
}

/** Undefined where more would have to be told anew than what a header says. */
function learn(known: Form | undefined, text: string): Form | undefined {
  const head = readHead(text);
  const lines = text.split('\r\n');
  const names = lines.map(nameAt);
  const isAlike =
    known?.lines.length === lines.length && known.lines.every((line, at) => nameAt(line, at) === names[at]);
  const varying = new Set(isAlike ? known.varying : []);
  if (isAlike) {
    for (const [at, line] of lines.entries()) if (line !== known.lines[at]) varying.add(at);
  }
  const wanted = names.flatMap(name =>
    name && Object.hasOwn(head.headers, name) ? [name as keyof Headers] : [],
  );
  // Of one that stands there twice all is said in one, and how long a connection lasts is known from one line.
  if (new Set(wanted).size < wanted.length) return undefined;
  const blanks = wanted.filter(name => varying.has(names.indexOf(name)));
  if (varying.has(0) || blanks.includes('connection')) return undefined;
  const pattern = lines.map((line, at) => {
    if (!varying.has(at)) return escaped(line);
    const isBlank = blanks.some(name => name === names[at]);
    return `${escaped(line.slice(0, line.indexOf(':') + 1))}${isBlank ? `(${VALUE})` : VALUE}`;
  });
  return { lines, varying, pattern: new RegExp(`^${pattern.join('\\r\\n')}$`), blanks, head };
}
