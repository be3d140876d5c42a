/** The file of a backup: compressed text with a header, each table's rows as PostgreSQL writes them, and a sum over it all. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { badInput, Fault } from '../domain/fault.ts';
import { syncFolder } from './disk.ts';

export interface Header {
  format: 'cloverleaf backup';
  version: number;
  /** The version of the software, and the moment its rows are of. */
  madeBy: string;
  madeAt: string;
  /** The steps that its schema has taken. */
  steps: string[];
  /** Sealed with the master key: tells whether a key is the right one. Null when nothing was ever sealed. */
  keyCheck: string | null;
  /** In hexadecimal; only where the operator wanted it inside. */
  masterKey?: string | undefined;
}

/** What stands before a table's rows. */
export interface Heading {
  table: string;
  columns: string[];
  /** How far the counters of its columns have come. */
  counters: Record<string, string>;
}

export interface Table extends Heading {
  rows: AsyncIterable<Buffer>;
}

export interface Sum {
  /** By table. */
  rows: Record<string, number>;
  sha256: string;
}

export interface Writer {
  line(value: Header | Heading): Promise<void>;
  rows(piece: Buffer): Promise<void>;
  endRows(): Promise<void>;
}

export const VERSION = 1;

/** Has the file written, reads it again, and only then gives it its name. */
export async function writeBackup(
  file: string,
  write: (writer: Writer) => Promise<Sum['rows']>,
): Promise<{ sum: Sum; bytes: number }> {
  if (fs.existsSync(file)) throw taken(file);
  onDisk(() => forgetDead(file));
  const draft = `${file}.part-${process.pid}`;
  try {
    const sum = await writeDraft(draft, write);
    await checkBackup(draft);
    return { sum, bytes: onDisk(() => giveName(draft, file)) };
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw error;
  }
}

/** Reads the whole of it; what it says of itself, and its sum. Refuses whatever is not as it was written. */
export async function checkBackup(file: string): Promise<{ header: Header; sum: Sum }> {
  return readBackup(file, async ({ rows }) => {
    let lines = 0;
    for await (const piece of rows) for (const byte of piece) if (byte === NEWLINE) lines++;
    return lines;
  });
}

/** Goes through it table by table; `use` says how many rows it was given. */
export async function readBackup(
  file: string,
  use: (table: Table, header: Header) => Promise<number>,
): Promise<{ header: Header; sum: Sum }> {
  const broken = (why: string) => badInput('file', `${file} is damaged: ${why}`);
  const text = readText(file);
  try {
    const header = readHeader(file, await text.line());
    for (const counted: Record<string, number> = {}; ; ) {
      const sha256 = text.sumSoFar();
      const said = JSON.parse((await text.line()) ?? '{}') as Partial<Table & Sum>;
      if (said.table !== undefined) {
        counted[said.table] = await use({ ...(said as Heading), rows: text.rows() }, header);
        continue;
      }
      if (said.sha256 === undefined) throw broken('its end is missing');
      if (said.sha256 !== sha256) throw broken('its sum is another one');
      const wrong = Object.entries(said.rows ?? {}).find(([table, rows]) => counted[table] !== rows);
      if (wrong) throw broken(`it has not all rows of ${wrong[0]}`);
      if ((await text.line()) !== undefined) throw broken('something stands behind its end');
      return { header, sum: said as Sum };
    }
  } catch (error) {
    if (error instanceof SyntaxError) throw broken('it cannot be read');
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw broken('it was cut off');
    throw code?.startsWith('Z_') ? broken(message) : error;
  } finally {
    text.close();
  }
}

const NEWLINE = 10;
/** PostgreSQL's own mark behind the last row; in a row a backslash never stands alone before a dot. */
const END = Buffer.from('\\.\n');
const LONGEST_ROW = 1_073_741_824;
/** Quick: most of the time goes into reading the tables. */
const LEVEL = 3;

/** Removes what backups to this name left behind that were killed. */
function forgetDead(file: string): void {
  const drafts = fs.existsSync(dirname(file)) ? fs.readdirSync(dirname(file)) : [];
  for (const draft of drafts) {
    const [, pid] = draft.startsWith(`${basename(file)}.part-`) ? draft.split('.part-') : [];
    if (pid && /^\d+$/.test(pid) && !fs.existsSync(`/proc/${pid}`)) fs.rmSync(join(dirname(file), draft));
  }
}

/** Its size. */
function giveName(draft: string, file: string): number {
  const { size } = fs.statSync(draft);
  try {
    place(draft, file);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? taken(file) : error;
  }
  fs.rmSync(draft, { force: true });
  syncFolder(dirname(file));
  return size;
}

/** By a link, for a rename would replace what has come there meanwhile. */
function place(draft: string, file: string): void {
  try {
    fs.linkSync(draft, file);
  } catch {
    // The name is taken, or there are no hard links here.
    replaceOwn(draft, file);
  }
}

/** What the rename replaces is a file that was made for it. */
function replaceOwn(draft: string, file: string): void {
  fs.writeFileSync(file, '', { flag: 'wx', mode: 0o600 });
  try {
    fs.renameSync(draft, file);
  } catch (error) {
    fs.rmSync(file);
    throw error;
  }
}

function taken(file: string): Fault {
  return badInput('file', `there is a file ${file} already: name another one`);
}

function onDisk<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof Fault ? error : unwritten(error as Error);
  }
}

function unwritten({ message }: Error): Fault {
  return new Fault('unavailable', `the backup cannot be written: ${message}`);
}

async function writeDraft(draft: string, write: (writer: Writer) => Promise<Sum['rows']>): Promise<Sum> {
  const hash = createHash('sha256');
  const gzip = createGzip({ level: LEVEL });
  const disk = fs.createWriteStream(draft, { flags: 'w', mode: 0o600, flush: true });
  const written = pipeline(gzip, disk).catch(error => {
    throw unwritten(error);
  });
  written.catch(() => {}); // told to whoever writes next
  // What breaks the disk breaks the other end too, which says less of it.
  const drained = () => once(gzip, 'drain').catch(() => written);
  const put = async (piece: Buffer) => {
    hash.update(piece);
    if (!gzip.write(piece)) await Promise.race([drained(), written]);
  };
  try {
    const rows = await write({
      line: value => put(Buffer.from(`${JSON.stringify(value)}\n`)),
      rows: put,
      endRows: () => put(END),
    });
    const sum: Sum = { rows, sha256: hash.digest('hex') };
    gzip.end(`${JSON.stringify(sum)}\n`);
    await written;
    return sum;
  } catch (error) {
    gzip.destroy();
    await written.catch(() => {});
    throw error;
  }
}

function readHeader(file: string, line: string | undefined): Header {
  const foreign = () => badInput('file', `${file} is no backup of Cloverleaf`);
  let header: Partial<Header> | undefined;
  try {
    header = JSON.parse(line ?? '') as Partial<Header>;
  } catch {
    throw foreign();
  }
  if (header?.format !== 'cloverleaf backup' || typeof header.version !== 'number') throw foreign();
  if (header.version > VERSION)
    throw badInput(
      'file',
      `${file} was made by the newer version ${header.madeBy}, in a form not known here`,
    );
  return header as Header;
}

/** The text of a file, a line or some rows at a time. */
function readText(file: string) {
  const hash = createHash('sha256');
  const raw = fs.createReadStream(file);
  const gunzip = createGunzip();
  raw.on('error', ({ message }) => gunzip.destroy(badInput('file', `${file} cannot be read: ${message}`)));
  const pieces = raw.pipe(gunzip)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let rest: Buffer = Buffer.alloc(0);

  /** Fetches more; false at the end. */
  async function fetch(): Promise<boolean> {
    const { done, value } = await pieces.next();
    if (done) return false;
    rest = rest.length === 0 ? value : Buffer.concat([rest, value]);
    if (rest.length > LONGEST_ROW) throw badInput('file', `${file} is damaged: it holds an endless row`);
    return true;
  }

  function take(length: number): Buffer {
    const taken = rest.subarray(0, length);
    rest = rest.subarray(length);
    hash.update(taken);
    return taken;
  }

  return {
    sumSoFar: () => hash.copy().digest('hex'),
    async line(): Promise<string | undefined> {
      while (rest.indexOf(NEWLINE) < 0) if (!(await fetch())) return rest.length > 0 ? '{}' : undefined;
      return take(rest.indexOf(NEWLINE) + 1)
        .subarray(0, -1)
        .toString();
    },
    /** Up to the mark behind the last one; whole rows only. */
    async *rows(): AsyncGenerator<Buffer> {
      for (;;) {
        const end = findEnd(rest);
        const whole = end ?? rest.lastIndexOf(NEWLINE) + 1;
        if (whole > 0) yield take(whole);
        if (end !== undefined) return void take(END.length);
        if (!(await fetch())) throw badInput('file', `${file} is damaged: it was cut off`);
      }
    },
    close() {
      raw.destroy();
      gunzip.destroy();
    },
  };
}

/** Where the mark begins, which stands on a line of its own. */
function findEnd(text: Buffer): number | undefined {
  if (text.subarray(0, END.length).equals(END)) return 0;
  const found = text.indexOf(`\n${END}`);
  return found < 0 ? undefined : found + 1;
}
