/** Moments on the command line: a date is the moment at which it begins, in UTC. */
import { readMoment } from '../http/current/moment.ts';

export function readMomentOf(option: string, text: string): Date {
  return readMoment(option, /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text);
}
