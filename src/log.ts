/** Where log lines go: written together, within a moment; when they cannot be, the latest are counted instead of kept. */
import { pino } from 'pino';

export interface LogOutput {
  stream: ReturnType<typeof pino.destination>;
  /** Lines that were let go of because nobody took them. */
  dropped(): number;
}

/** One by one, lines would cost as much as what they tell of. */
const TOGETHER = { sync: false, minLength: 8_192, periodicFlush: 100 };
/** What waits while the disk is full, or whoever reads is slow; more would take the memory that people need. */
const MOST_WAITING = 262_144;

/** To a file that is open already, by its number. */
export function openLog(fd: number): LogOutput {
  let dropped = 0;
  const stream = pino.destination({ ...TOGETHER, fd, maxLength: MOST_WAITING });
  // What could not be written is tried again at the next flush: a full disk is no reason to stop.
  stream.on('error', () => {});
  stream.on('drop', () => {
    dropped++;
  });
  return { stream, dropped: () => dropped };
}

/** What turns text around, ends a line somewhere, or cannot be seen; JSON leaves it as it is. */
const UNSEEN = /[\p{Cf}\u007f-\u009f\u2028\u2029]/gu;

/** A line that shows whoever reads it everything there is, in the order in which it is there. */
export function showUnseen(line: string): string {
  return line.replace(UNSEEN, escapeUnits);
}

function escapeUnits(letter: string): string {
  return letter
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
