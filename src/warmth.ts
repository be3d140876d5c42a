/** Warmth: `process.nextTick`, which every write to every socket goes through, is made hot before anything else happens. */

/**
 * V8 compiles it well as long as it has only ever seen one shape of the record it makes, and the first full collection of
 * garbage, which no start does without, lets V8 forget that shape: from then on each call would take six times as long.
 * So many are enough for V8 to compile it; they take about 20 ms.
 */
const CALLS = 5_000;

let calls = 0;
call();

/** One after another: of thousands at once V8 would learn that they live long, and put all later ones where it seldom looks. */
function call(): void {
  if (++calls < CALLS) process.nextTick(call);
}
