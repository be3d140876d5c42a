/** Frames: the messages of PostgreSQL's protocol, version 3, as far as they are needed here. */

/** What a bound value may be: text, bytes, or nothing. */
export type Value = string | Buffer | null;

/** Gathers messages, to be sent in one piece. */
export interface Frames {
  /** The first message of a connection. */
  startup(settings: Readonly<Record<string, string>>): void;
  parse(name: string, text: string): void;
  /** Asks what the rows of a statement will be. */
  describe(name: string): void;
  bind(name: string, values: readonly Value[]): void;
  execute(): void;
  sync(): void;
  /** Several statements in one text, without values. */
  query(text: string): void;
  /** Everything gathered; then it begins anew. */
  take(): Buffer;
}

const VERSION = 196_608;
const FIRST_SIZE = 65_536;

export function gatherFrames(): Frames {
  let bytes = Buffer.allocUnsafe(FIRST_SIZE);
  let end = 0;

  function reserve(size: number): void {
    if (end + size <= bytes.length) return;
    const more = Buffer.allocUnsafe(Math.max(bytes.length * 2, end + size));
    bytes.copy(more, 0, 0, end);
    bytes = more;
  }

  function int32(value: number): void {
    reserve(4);
    end = bytes.writeInt32BE(value, end);
  }

  function int16(value: number): void {
    reserve(2);
    end = bytes.writeInt16BE(value, end);
  }

  /** A text that ends with a zero. */
  function text(value: string): void {
    reserve(value.length * 3 + 1);
    end += bytes.write(value, end);
    bytes[end++] = 0;
  }

  function value(one: Value): void {
    if (typeof one === 'string') {
      reserve(one.length * 3 + 4);
      const length = bytes.write(one, end + 4);
      bytes.writeInt32BE(length, end);
      end += length + 4;
    } else {
      int32(one?.length ?? -1);
      reserve(one?.length ?? 0);
      end += one?.copy(bytes, end) ?? 0;
    }
  }

  /** A message with its length in front. */
  function frame(type: string, write: () => void): void {
    reserve(5);
    if (type) bytes[end++] = type.charCodeAt(0);
    const begin = end;
    end += 4;
    write();
    bytes.writeInt32BE(end - begin, begin);
  }

  return {
    startup: settings =>
      frame('', () => {
        int32(VERSION);
        for (const [name, setting] of Object.entries(settings)) {
          text(name);
          text(setting);
        }
        text('');
      }),
    parse: (name, statement) =>
      frame('P', () => {
        text(name);
        text(statement);
        int16(0);
      }),
    describe: name => frame('D', () => text(`S${name}`)),
    bind: (name, values) =>
      frame('B', () => {
        text('');
        text(name);
        int16(values.length);
        for (const one of values) int16(one instanceof Buffer ? 1 : 0);
        int16(values.length);
        for (const one of values) value(one);
        int16(0);
      }),
    execute: () =>
      frame('E', () => {
        text('');
        int32(0);
      }),
    sync: () => frame('S', () => {}),
    query: statement => frame('Q', () => text(statement)),
    take() {
      const all = bytes.subarray(0, end);
      end = 0;
      return all;
    },
  };
}
