// `npm run faults`: builds the fault runs and the instances they kill, and runs them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMMONJS, LOOKED_UP } from './build.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
