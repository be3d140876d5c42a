/** The master key: given by the operator, or made once and kept beside the data. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '../domain/fault.ts';
import type { Database } from '../store/database.ts';
import { keepFact } from '../store/facts.ts';
import { createSeal } from './seal.ts';

export async function loadMasterKey(given: Buffer | undefined, dataDir: string): Promise<Buffer> {
  if (given) return given;
  const file = join(dataDir, 'master.key');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  try {
    // Fails when the file exists, so that two first starts cannot make two keys.
    await writeFile(file, `${randomBytes(32).toString('hex')}\n`, { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from((await readFile(file, 'utf8')).trim(), 'hex');
  if (key.length !== 32) throw new Fault('unavailable', `${file} is damaged: restore it, or set MASTER_KEY`);
  return key;
}

/** The key that there is, without making one; undefined when there is none. */
export async function findMasterKey(given: Buffer | undefined, dataDir: string): Promise<Buffer | undefined> {
  return given || existsSync(join(dataDir, 'master.key')) ? loadMasterKey(given, dataDir) : undefined;
}

/** Whether it is the key that something was sealed with when the database was new. */
export function isMasterKey(masterKey: Buffer, check: string): boolean {
  return createSeal(masterKey, 'check').open(check) === 'cloverleaf';
}

/** Refuses a key that is not the one this database was sealed with: everything sealed would be lost to us. */
export async function checkMasterKey(masterKey: Buffer, database: Database): Promise<void> {
  const seal = createSeal(masterKey, 'check');
  const stored = await keepFact(database, 'master-key-check', seal.close('cloverleaf'));
  if (!isMasterKey(masterKey, stored)) {
    throw new Fault('unavailable', 'MASTER_KEY is not the key this database was made with');
  }
}
