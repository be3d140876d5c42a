/** Where log lines go: written together, within a moment; when they cannot be, the latest are counted instead of kept. */
import { type DestinationStream, pino } from 'pino';

export interface LogOutput {
  stream: DestinationStream;
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
  /** Of this turn of the loop: with each piece it is given, the destination measures all that waits in it. */
  let lines = '';
  const destination = pino.destination({ ...TOGETHER, fd, maxLength: MOST_WAITING });
  // What could not be written is tried again at the next flush: a full disk is no reason to stop.
  destination.on('error', () => {});
  destination.on('drop', (piece: string) => {
    dropped += piece.split('\n').length - 1;
  });

  function handOver(): void {
    const piece = lines;
    lines = '';
    if (piece) destination.write(piece);
  }

  // Before the destination itself, which then writes all it has.
  process.prependOnceListener('exit', handOver);

  return {
    stream: {
      write(line) {
        if (!lines) setImmediate(handOver);
        lines += line;
      },
    },
    dropped: () => dropped,
  };
}

/** What turns text around, ends a line somewhere, or cannot be seen; JSON leaves it as it is. */
const UNSEEN = /[\p{Cf}\u007f-\u009f\u2028\u2029]/gu;

/** Of these there are none in most lines, which is told in a third of the time. */
const PLAIN = /^[ -~]*\n?$/;

/** A line that shows whoever reads it everything there is, in the order in which it is there. */
export function showUnseen(line: string): string {
  return PLAIN.test(line) ? line : line.replace(UNSEEN, escapeUnits);
}

function escapeUnits(letter: string): string {
  return letter
    .split('')
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
