/** The master key: given by the operator, or made once and kept beside the data. */
import { randomBytes } from 'node:crypto';
import { constants, copyFile, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { Database } from '../store/database.ts';
import { keepFact } from '../store/facts.ts';
import { createSeal } from './seal.ts';

/** What the operator has set. */
interface Settings {
  masterKey: Buffer | undefined;
  dataDir: string;
}

/**
 * The key of the database; a new database is given one where there is none. Refuses a key that is not the one it was
 * sealed with: everything sealed would be lost to us.
 */
export async function openMasterKey(settings: Settings, database: Database): Promise<Buffer> {
  const { masterKey: given, dataDir } = settings;
  const known = await findMasterKey(given, dataDir);
  const isNew = !known && (await putMasterKey(dataDir, randomBytes(32)));
  const masterKey = known ?? ((await findMasterKey(given, dataDir)) as Buffer);
  if (await checkMasterKey(masterKey, database)) return masterKey;
  // One that was just made would be taken for the right one from now on.
  if (isNew) await rm(fileIn(dataDir));
  throw new Fault('unavailable', isNew ? noKey(dataDir) : otherKey(settings));
}

/** The key that there is, without making one; undefined when there is none. */
export async function findMasterKey(given: Buffer | undefined, dataDir: string): Promise<Buffer | undefined> {
  if (given) return given;
  const file = fileIn(dataDir);
  const text = await onDisk(readFile(file, 'utf8'), 'ENOENT');
  if (text === undefined) return undefined;
  const key = Buffer.from(text.trim(), 'hex');
  if (key.length !== 32) throw new Fault('unavailable', `${file} is damaged: restore it, or set MASTER_KEY`);
  return key;
}

/** Keeps a key beside the data; false where there is one already: of two first starts only one makes it. */
export async function putMasterKey(dataDir: string, masterKey: Buffer): Promise<boolean> {
  await onDisk(mkdir(dataDir, { recursive: true, mode: 0o700 }));
  const draft = `${fileIn(dataDir)}.${randomBytes(8).toString('hex')}`;
  try {
    await onDisk(
      writeFile(draft, `${masterKey.toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true }),
    );
    return (await onDisk(name(draft, fileIn(dataDir)), 'EEXIST')) ?? false;
  } finally {
    await rm(draft, { force: true });
  }
}

/** Gives a whole file its name: killed before it, or with a full disk, there is none. Never over one that has it. */
async function name(draft: string, file: string): Promise<true> {
  // Some network drives know no links.
  await link(draft, file).catch(() => copyFile(draft, file, constants.COPYFILE_EXCL));
  return true;
}

/** Whether it is the key that something was sealed with when the database was new. */
export function isMasterKey(masterKey: Buffer, check: string): boolean {
  return createSeal(masterKey, 'check').open(check) === 'cloverleaf';
}

/** Whether it is the key of this database, which the first one becomes that it is asked about. */
export async function checkMasterKey(masterKey: Buffer, database: Database): Promise<boolean> {
  const seal = createSeal(masterKey, 'check');
  return isMasterKey(masterKey, await keepFact(database, 'master-key-check', seal.close('cloverleaf')));
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'master.key');
}

/** What came of it; undefined where it failed for that reason, and any other is told in one line. */
async function onDisk<T>(work: Promise<T>, expected?: string): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === expected) return undefined;
    throw new Fault('unavailable', `DATA_DIR: the master key cannot be used (${message})`);
  }
}

function noKey(dataDir: string): string {
  return `there is no master key in ${dataDir}: put back the one the database was made with, or set MASTER_KEY or DATA_DIR as the service has it`;
}

function otherKey({ masterKey, dataDir }: Settings): string {
  return `${masterKey ? 'MASTER_KEY' : fileIn(dataDir)} is not the key this database was made with`;
}
