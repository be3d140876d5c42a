/** Letters: requests byte by byte. */
import type { Live, Operation } from './parameter.ts';

export interface Letter {
  /** Method and target. */
  line: string;
  /** Whole lines, beside that of the host and that of the length. */
  headers: readonly string[];
  body?: string | Buffer | undefined;
}

export const JSON_TYPE = 'Content-Type: application/json';

export function keysOf({ key, secret }: Pick<Live, 'key' | 'secret'>): string[] {
  return [`Authorization: ${key}`, `x-service-secret: ${secret}`];
}

export function write({ line, headers, body = '' }: Letter): Buffer {
  const length = line.startsWith('GET ') ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const head = [`${line} HTTP/1.1`, 'Host: test', ...headers, ...length, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}

/** What stands in the places of a path, encoded, and in the query. */
export interface Filling {
  path?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, string>> | undefined;
  /** What follows in the query, as it stands. */
  more?: string | undefined;
}

/** The first line of a request that is good but for what is filled in. */
export function lineOf(at: string, operation: Operation, { path = {}, query, more = '' }: Filling): string {
  const [method = '', template = ''] = at.split(' ');
  const filled = template.replace(/\{(\w+)\}/g, (_, part: string) => {
    const given = operation.path?.[part];
    const { good } = given && 'good' in given ? given : (given?.kind ?? { good: '' });
    return path[part] ?? encodeURIComponent(good);
  });
  const pairs = Object.entries({ ...operation.always, ...query });
  const search = [
    ...pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`),
    ...(more ? [more] : []),
  ];
  return `${method.toUpperCase()} ${filled}${search.length > 0 ? `?${search.join('&')}` : ''}`;
}
