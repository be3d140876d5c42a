/** Findings: what one part of the run has to say. */
import type { Line } from '../report.ts';

export interface Findings {
  lines: readonly Line[];
  examples: readonly string[];
}

/** Something that should not be, and how often it was. */
export type Problem = readonly [text: string, count: number];

/** One line, which every problem that was seen counts against. */
export function judge(line: Omit<Line, 'violations'>, problems: readonly Problem[]): Findings {
  const seen = problems.filter(([, count]) => count > 0);
  return {
    lines: [{ ...line, violations: seen.reduce((sum, [, count]) => sum + count, 0) }],
    examples: seen.map(([text, count]) => `${line.fault}: ${count} ${text}`),
  };
}

export function together(all: readonly Findings[]): Findings {
  return {
    lines: all.flatMap(({ lines }) => lines),
    examples: all.flatMap(({ examples }) => examples),
  };
}
