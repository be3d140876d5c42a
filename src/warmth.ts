/** Warmth: `process.nextTick`, which every write to every socket goes through, stays quick. */
import { executionAsyncResource } from 'node:async_hooks';

/**
 * V8 knows the shape of the records it makes as long as there is one. At the first full collection of garbage, which no start
 * does without, there may be none; V8 then forgets the shape, and from then on each call takes five times as long.
 */
const kept: { record?: object } = {};

process.nextTick(() => {
  kept.record = executionAsyncResource();
});
// Somebody must still want it, or it is garbage itself.
process.once('exit', () => kept);
