/** The patterns of the source, each against texts of 64 kB that are made to be hard for it. */
import { hardestOf, readPatterns } from '../../test/bad-input/patterns.ts';
import type { Line } from '../report.ts';

const LONGEST_MS = 10;

export function tryPatterns(): Line {
  const patterns = readPatterns('src');
  const times = patterns.map(pattern => ({ pattern, ...hardestOf(pattern, LONGEST_MS) }));
  const slow = times.filter(({ ms }) => ms > LONGEST_MS);
  const [hardest] = times.sort((a, b) => b.ms - a.ms);
  return {
    fault: 'F27',
    what: 'regular expressions of the source, against 64 kB',
    count: patterns.length,
    violations: slow.length,
    worst: hardest ? `${hardest.ms.toFixed(1)} ms in ${hardest.pattern.file}` : '',
  };
}
