/** HTTP messages, read and written as plainly as the simulated network needs them; none of the service's code is used. */

export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

export interface Request {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The answer in these bytes, or undefined as long as it is not complete. */
export function readAnswer(bytes: Buffer, hasEnded: boolean): Answer | undefined {
  const head = readHead(bytes);
  if (!head) return undefined;
  const [, status] = head.first.split(' ');
  const body = readBody(bytes.subarray(head.end), head.headers, hasEnded);
  return body === undefined ? undefined : { status: Number(status), headers: head.headers, text: body };
}

/** The request in these bytes, and where it ends. */
export function readRequest(bytes: Buffer): { request: Request; end: number } | undefined {
  const head = readHead(bytes);
  if (!head) return undefined;
  const length = Number(head.headers['content-length'] ?? 0);
  if (bytes.length < head.end + length) return undefined;
  const [method = '', path = ''] = head.first.split(' ');
  const body = bytes.toString('utf8', head.end, head.end + length);
  return { request: { method, path, headers: head.headers, body }, end: head.end + length };
}

export function writeRequest({ method, path, headers, body }: Request, host: string): Buffer {
  const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host, connection: 'close', ...headers, ...length });
  return Buffer.from(
    `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`,
  );
}

export function writeAnswer({ status, headers, text }: Answer): Buffer {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(text)) });
  return Buffer.from(
    `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`,
  );
}

function readHead(
  bytes: Buffer,
): { first: string; headers: Record<string, string>; end: number } | undefined {
  const at = bytes.indexOf('\r\n\r\n');
  if (at < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, at).split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  return { first, headers, end: at + 4 };
}

function readBody(bytes: Buffer, headers: Readonly<Record<string, string>>, hasEnded: boolean) {
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes);
  const length = headers['content-length'];
  if (length === undefined) return hasEnded ? bytes.toString('utf8') : undefined;
  return bytes.length >= Number(length) ? bytes.toString('utf8', 0, Number(length)) : undefined;
}

function readChunks(bytes: Buffer): string | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf('\r\n', at);
    if (line < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16);
    if (size === 0) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(line + 2, line + 2 + size));
    at = line + 2 + size + 2;
    if (at > bytes.length) return undefined;
  }
}
