#!/usr/bin/env node
// Runs the built command line, building it first when it is missing or older than its source.
import { build } from '../scripts/build.mjs';

await build();
await import('../dist/cloverleaf.js');
