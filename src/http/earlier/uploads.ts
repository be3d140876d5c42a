/** Uploads: how many files are on their way at once, of everybody and of each order, for they are held in memory. */
import type { ServerResponse } from 'node:http';
import { Fault } from '../../domain/fault.ts';

const MOST_UPLOADS = 16;
/** One, and another by somebody whose line broke. */
const MOST_OF_ONE = 2;

/** Counts a file of an order in until its answer is out; `tooMany` where there is no room. */
export type Uploads = (order: string, answer: Pick<ServerResponse, 'once' | 'destroyed'>) => void;

export function createUploads(): Uploads {
  const orders: string[] = [];
  return (order, answer) => {
    // Whoever has gone meanwhile sends nothing any more.
    if (answer.destroyed) return;
    const own = orders.filter(one => one === order).length;
    if (orders.length >= MOST_UPLOADS || own >= MOST_OF_ONE)
      throw new Fault('tooMany', 'Too many files are being uploaded at the moment');
    orders.push(order);
    answer.once('close', () => void orders.splice(orders.indexOf(order), 1));
  };
}
