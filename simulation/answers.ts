/** Answers of providers, sent as they should be, or as badly as they can be. */
import { writeJson } from '../src/domain/json.ts';
import { type Answer, writeAnswer } from './machine/messages.ts';
import type { Link } from './machine/network.ts';
import { after, WORLD } from './machine/time.ts';

/** What a provider can be told to do wrong. */
export const ANSWER_FAULTS = [
  'slow',
  'hang',
  'error',
  'limited',
  'unauthorized',
  'garbage',
  'truncated',
  'huge',
  'drip',
  'reset',
  'cut',
  'lie',
] as const;
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

export function json(status: number, body: unknown): Answer {
  return { status, headers: { 'content-type': 'application/json' }, text: writeJson(body) };
}

const SLOW_MS = 2_600;
const DRIP_MS = 50;
const LONGEST_MS = 30_000;
const HUGE = Buffer.alloc(65_536, ' ');

type Send = (link: Link, answer: Answer) => void;

/** How an answer is sent, by what is wrong. */
export const SENDERS: Record<AnswerFault | 'honest', Send> = {
  honest: (link, answer) => link.send(writeAnswer(answer)),
  lie: (link, answer) => link.send(writeAnswer(answer)),
  slow: (link, answer) => void after(SLOW_MS, () => link.send(writeAnswer(answer)), WORLD),
  hang() {},
  error: link => link.send(writeAnswer(json(500, { message: 'Internal Server Error' }))),
  limited(link) {
    const answer = json(429, { message: 'Too Many Requests' });
    link.send(writeAnswer({ ...answer, headers: { ...answer.headers, 'retry-after': '5' } }));
  },
  unauthorized: link => link.send(writeAnswer(json(401, { message: 'Unauthorized' }))),
  garbage: link =>
    link.send(
      writeAnswer({
        status: 200,
        headers: { 'content-type': 'text/html' },
        text: '<!doctype html><title>502</title>',
      }),
    ),
  truncated: (link, answer) =>
    link.send(writeAnswer({ ...answer, status: 200, text: answer.text.slice(0, answer.text.length >> 1) })),
  huge(link) {
    link.send(
      Buffer.from(
        'HTTP/1.1 200 X\r\ncontent-type: application/json\r\ncontent-length: 1073741824\r\n\r\n{"a":"',
      ),
    );
    for (let part = 0; part < 6; part++) link.send(HUGE);
  },
  drip(link, answer) {
    const bytes = writeAnswer(answer);
    const drop = (at: number) => {
      if (at >= bytes.length || at * DRIP_MS > LONGEST_MS) return;
      link.send(bytes.subarray(at, at + 1));
      after(DRIP_MS, () => drop(at + 1), WORLD);
    };
    drop(0);
  },
  reset: link => link.reset(),
  cut(link, answer) {
    const bytes = writeAnswer(answer);
    link.send(bytes.subarray(0, bytes.length - Math.ceil(answer.text.length / 2)));
    after(5, () => link.reset(), WORLD);
  },
};
