/** Server-sent events, read from pieces of text that end wherever the network ends them. */
import { CloverleafError } from './error.ts';

export interface ServerEvent {
  name: string;
  data: string;
}

/** More than the largest event of the service. */
const LONGEST_EVENT = 8 * 1024 * 1024;

/** Yields each event when it is complete; one that is cut off at the end is none. */
export async function* readEvents(
  chunks: AsyncIterable<string>,
): AsyncGenerator<ServerEvent, void, undefined> {
  let name = '';
  let data: string[] = [];
  for await (const line of readLines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { name: name || 'message', data: data.join('\n') };
      name = '';
      data = [];
      continue;
    }
    const [field, value] = splitLine(line);
    if (field === 'event') name = value;
    if (field === 'data') data.push(value);
  }
}

async function* readLines(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    rest += chunk;
    if (rest.length > LONGEST_EVENT) throw new CloverleafError('failed', 'An event is too long');
    // A carriage return at the very end may be half of a line's end.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const lines = rest.slice(0, end).split(/\r\n|\r|\n/);
    rest = (lines.pop() ?? '') + rest.slice(end);
    yield* lines;
  }
  if (rest.endsWith('\r')) yield rest.slice(0, -1);
}

/** Comments have no name before their colon. */
function splitLine(line: string): [field: string, value: string] {
  const colon = line.indexOf(':');
  if (colon < 0) return [line, ''];
  const value = line.slice(colon + 1);
  return [line.slice(0, colon), value.startsWith(' ') ? value.slice(1) : value];
}
