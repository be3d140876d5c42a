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
    const open = OPENERS[name.length];
    if (open !== undefined) open(envelope, name.toLowerCase(), rawHeaders[at + 1] as string);
  }
  return envelope;
}

type Opener = (envelope: Envelope, name: string, value: string) => void;

/** What to do with a header, by the length of its name. */
const OPENERS: Readonly<Record<number, Opener>> = {
  4: (envelope, name) => {
    if (name === 'host') envelope.hosts++;
  },
  6: (envelope, name, value) => {
    if (name === 'origin') envelope.origin = value;
  },
  13: (envelope, name, value) => {
    if (name === 'if-none-match') envelope.ifNoneMatch = value;
    if (name !== 'authorization') return;
    envelope.keys++;
    envelope.authorization = value;
  },
  14: (envelope, name, value) => {
    if (name === 'content-length') envelope.contentLength = value;
  },
  17: (envelope, name, value) => {
    if (name !== 'transfer-encoding') return;
    const { transferEncoding } = envelope;
    // Several lines are one list.
    envelope.transferEncoding = transferEncoding === undefined ? value : `${transferEncoding}, ${value}`;
  },
};
