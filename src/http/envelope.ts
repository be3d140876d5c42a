/** The envelope of a request: the few headers that matter before any route, read in one pass. */

export interface Envelope {
  /** How often these were sent; they mean something only once. */
  hosts: number;
  keys: number;
  authorization: string | undefined;
  origin: string | undefined;
  ifNoneMatch: string | undefined;
  contentLength: string | undefined;
  transferEncoding: string | undefined;
}

/** Looks at names of the right length only: building all of a request's headers costs more than answering it. */
export function readEnvelope(rawHeaders: readonly string[]): Envelope {
  const envelope: Envelope = {
    hosts: 0,
    keys: 0,
    authorization: undefined,
    origin: undefined,
    ifNoneMatch: undefined,
    contentLength: undefined,
    transferEncoding: undefined,
  };
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (LENGTHS.has(name.length)) open(envelope, name.toLowerCase(), rawHeaders[at + 1] as string);
  }
  return envelope;
}

const LENGTHS = new Set(
  ['host', 'origin', 'authorization', 'if-none-match', 'content-length', 'transfer-encoding'].map(
    name => name.length,
  ),
);

function open(envelope: Envelope, name: string, value: string): void {
  if (name === 'host') envelope.hosts++;
  else if (name === 'origin') envelope.origin = value;
  else if (name === 'authorization') {
    envelope.keys++;
    envelope.authorization = value;
  } else if (name === 'if-none-match') envelope.ifNoneMatch = value;
  else if (name === 'content-length') envelope.contentLength = value;
  else if (name === 'transfer-encoding') envelope.transferEncoding = value;
}
