#!/usr/bin/env node
// Runs the built command line, building it first when it is missing or out of date.
import { build, OUTPUT } from '../scripts/build.mjs';
import './memory.mjs';
import { launch } from './launch.mjs';

await build();
launch(OUTPUT);
