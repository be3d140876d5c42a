// Starts an instance as the service itself is started: with what V8 made of it when it last ran.
import { fileURLToPath } from 'node:url';
import '../../bin/memory.mjs';
import { launch } from '../../bin/launch.mjs';

/** Sooner than a service keeps it: most instances do not live as long. */
const STARTED_MS = 1_000;

launch(fileURLToPath(new URL('faults-instance.cjs', import.meta.url)), STARTED_MS);
