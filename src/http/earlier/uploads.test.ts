/** Uploads: room for many, and not all of it for one. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createUploads } from './uploads.ts';

const answer = () => new EventEmitter() as unknown as ServerResponse;
const FULL = 'Too many files are being uploaded at the moment';

describe('uploads', () => {
  it('of one order are two at most, until one of them is answered', () => {
    const countIn = createUploads();
    const first = answer();
    countIn('a', first);
    countIn('a', answer());
    expect(() => countIn('a', answer())).toThrow(FULL);
    countIn('b', answer());
    first.emit('close');
    countIn('a', answer());
    expect(() => countIn('a', answer())).toThrow(FULL);
  });

  it('of all orders together are sixteen', () => {
    const countIn = createUploads();
    for (let order = 0; order < 16; order++) countIn(`order ${order}`, answer());
    expect(() => countIn('another', answer())).toThrow(FULL);
  });

  it('whose sender has gone already take no room', () => {
    const countIn = createUploads();
    const gone = Object.assign(answer(), { destroyed: true });
    for (let turn = 0; turn < 20; turn++) countIn('a', gone);
    countIn('a', answer());
  });
});
