#!/usr/bin/env node
// Runs the built command line, building it first when it is missing or older than its source.
import { build, OUTPUT } from '../scripts/build.mjs';
import { launch } from './launch.mjs';

await build();
launch(OUTPUT);
