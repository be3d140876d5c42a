// Runs the bundle together with what V8 made of it when it last ran, which spares a start most of its compiling.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { Script } from 'node:vm';

/** By then a service has started, and everything that a start needs is compiled. */
const STARTED_MS = 3_000;
const DIGEST_BYTES = 32;
const [HEAD, TAIL] = ['(function (exports, require, module, __filename, __dirname) {', '\n})'];

/** Runs a CommonJS file. */
export function launch(file, keepAfterMs = STARTED_MS) {
  const source = readFileSync(file);
  const kept = `${file}.compiled`;
  const script = new Script(`${HEAD}${source}${TAIL}`, {
    filename: file,
    columnOffset: -HEAD.length,
    cachedData: readKept(kept, source),
  });
  // Of another version of Node or of the file, damaged, or not there yet.
  if (script.cachedDataRejected !== false) {
    setTimeout(() => keep(kept, source, script.createCachedData()), keepAfterMs).unref();
  }
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
}

/** V8 itself tells sources apart by their length only, and some versions end the process over damaged data. */
function readKept(file, source) {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(DIGEST_BYTES);
    return digestOf(source, data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
  } catch {
    return undefined;
  }
}

/** Where nothing may be written, every start compiles. */
async function keep(file, source, data) {
  const draft = `${file}.${process.pid}`;
  try {
    await writeFile(draft, Buffer.concat([digestOf(source, data), data]));
    await rename(draft, file);
  } catch {
    await rm(draft, { force: true });
  }
}

function digestOf(source, data) {
  return createHash('sha256').update(source).update(data).digest();
}
