/** Streams: every change once, a sign of life, and an end to everything. */
import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakePay, exampleView, type FakePay } from '../../../test/browser/pay-world.ts';
import { Fault } from '../../domain/fault.ts';
import type { Status } from '../../domain/transaction.ts';
import { speechOf } from './speech.ts';
import { stateOf } from './state.ts';
import { createStreams, type Streams } from './streams.ts';

let pay: FakePay;
let streams: Streams;

beforeEach(() => {
  vi.useFakeTimers();
  pay = createFakePay(() => 'https://ramp.example');
  pay.put('t1', exampleView());
  streams = createStreams(pay);
});
afterEach(() => {
  vi.useRealTimers();
});

const open = (token: string, reply: FastifyReply) =>
  streams.open(token, reply, view => stateOf(view, { now: Date.now(), speech: speechOf('en') }));

/** A reply whose bytes are kept. */
function listener() {
  const raw = Object.assign(new EventEmitter(), {
    text: '',
    destroyed: false,
    ended: false,
    writableLength: 0,
    setHeader() {},
    writeHead() {},
    write(chunk: string) {
      raw.text += chunk;
    },
    end() {
      raw.ended = true;
    },
    destroy() {
      raw.destroyed = true;
      raw.emit('close');
    },
  });
  const reply = { raw, hijack() {}, getHeaders: () => ({}) } as unknown as FastifyReply;
  const statuses = () => [...raw.text.matchAll(/"status":"(\w+)"/g)].map(([, status]) => status);
  return { raw, reply, statuses };
}

describe('a stream', () => {
  it('sends the state at once, then every change, and ends with the order', async () => {
    const { raw, reply, statuses } = listener();
    await open('t1', reply);
    expect(statuses()).toEqual(['new']);
    expect(raw.text).toMatch(/^event: status\ndata: \{[^\n]*\}\n\n$/);
    pay.change('t1', { status: 'pending' });
    pay.change('t1', { status: 'completed' });
    expect(statuses()).toEqual(['new', 'pending', 'completed']);
    expect(raw.ended).toBe(true);
    expect(pay.followers()).toBe(0);
    pay.change('t1', { status: 'refunded' });
    expect(statuses()).toHaveLength(3);
  });

  it.each<Status>(['completed', 'refunded'])('ends at once for an order that is %s', async status => {
    pay.put('t1', exampleView({ status }));
    const { raw, reply, statuses } = listener();
    await open('t1', reply);
    expect(statuses()).toEqual([status]);
    expect(raw.ended).toBe(true);
    expect(pay.followers()).toBe(0);
  });

  it.each<Status>(['expired', 'canceled', 'failed'])(
    'goes on for an order that is %s, until late money ends it for good',
    async status => {
      const { raw, reply, statuses } = listener();
      await open('t1', reply);
      pay.change('t1', { status, opened: true });
      expect([raw.ended, pay.followers()]).toEqual([false, 1]);
      const late = listener();
      await open('t1', late.reply);
      expect([late.raw.ended, pay.followers()]).toEqual([false, 2]);
      pay.change('t1', { status: 'completed' });
      expect(statuses()).toEqual(['new', status, 'completed']);
      expect(late.statuses()).toEqual([status, 'completed']);
      expect([raw.ended, late.raw.ended, pay.followers()]).toEqual([true, true, 0]);
    },
  );

  it('loses nothing that happens while it is being opened, and goes back to nothing older', async () => {
    const { reply, statuses } = listener();
    const view = pay.view;
    pay.view = async token => {
      const old = await view(token);
      pay.change('t1', { status: 'paid' });
      return old;
    };
    await open('t1', reply);
    expect(statuses()).toEqual(['paid']);
  });

  it('gives a sign of life every 15 seconds, and an hour at most', async () => {
    const { raw, reply } = listener();
    await open('t1', reply);
    vi.advanceTimersByTime(45_000);
    // Browsers hand events to a page, and keep comments to themselves.
    expect(raw.text.match(/^event: beat\ndata: \{\}\n\n/gm)).toHaveLength(3);
    vi.advanceTimersByTime(3_600_000);
    expect(raw.ended).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets whoever goes away', async () => {
    const { raw, reply } = listener();
    await open('t1', reply);
    expect(pay.followers()).toBe(1);
    raw.destroy();
    expect(pay.followers()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('forgets whoever was gone before it began', async () => {
    const { raw, reply } = listener();
    raw.destroyed = true;
    await open('t1', reply);
    expect(pay.followers()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not wait for whoever does not read', async () => {
    const { raw, reply } = listener();
    await open('t1', reply);
    raw.writableLength = 1_000_000;
    pay.change('t1', { status: 'pending' });
    expect(raw.destroyed).toBe(true);
    expect(pay.followers()).toBe(0);
  });

  it('is not there for an order that is not', async () => {
    await expect(open('t2', listener().reply)).rejects.toMatchObject({ kind: 'notFound' });
    expect(pay.followers()).toBe(0);
  });

  it('gives everything back when it cannot be opened', async () => {
    pay.view = async () => {
      throw new Fault('unavailable', 'The database is away');
    };
    for (let at = 0; at < 20; at++) {
      await expect(open('t1', listener().reply)).rejects.toMatchObject({ kind: 'unavailable' });
    }
    expect(pay.followers()).toBe(0);
  });
});

describe('streams', () => {
  it('of one order are ten at most', async () => {
    const listeners = Array.from({ length: 10 }, listener);
    for (const { reply } of listeners) await open('t1', reply);
    await expect(open('t1', listener().reply)).rejects.toMatchObject({ kind: 'tooMany' });
    listeners[0]?.raw.destroy();
    await open('t1', listener().reply);
  });

  it('all end when the service stops', async () => {
    pay.put('t2', exampleView());
    const listeners = [listener(), listener()];
    await open('t1', listeners[0]?.reply as FastifyReply);
    await open('t2', listeners[1]?.reply as FastifyReply);
    streams.close();
    expect(listeners.map(({ raw }) => raw.ended)).toEqual([true, true]);
    expect(pay.followers()).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
