// Runs the bundle together with what V8 made of it when it last ran, which spares a start most of its compiling.
import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** By then a service has started, and everything that a start needs is compiled. */
const STARTED_MS = 3_000;
const [HEAD, TAIL] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];

/** Runs a CommonJS file. */
export function launch(file, keepAfterMs = STARTED_MS) {
  const kept = `${file}.compiled`;
  const script = new Script(`${HEAD}${readFileSync(file, 'utf8')}${TAIL}`, {
    filename: file,
    columnOffset: -HEAD.length,
    cachedData: readIfThere(kept),
  });
  // Of another version of Node or of the file, damaged, or not there yet.
  if (script.cachedDataRejected !== false) setTimeout(() => keep(script, kept), keepAfterMs).unref();
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
}

function readIfThere(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** Whole or not at all; where nothing may be written, every start compiles. */
async function keep(script, file) {
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, script.createCachedData(), { flush: true });
    await rename(draft, file);
  } catch {
    await rm(draft, { force: true });
  }
}
