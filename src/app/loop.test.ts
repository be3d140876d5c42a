/** The loop: what is due is done once, soon, and nobody waits for anybody else. */
import { setImmediate as soon, setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Loop, type LoopOptions, startLoop } from './loop.ts';

const loops: Loop[] = [];
afterEach(() => Promise.all(loops.splice(0).map(loop => loop.stop())));

function start<T>(options: Partial<LoopOptions<T>> & Pick<LoopOptions<T>, 'claim' | 'perform'>): Loop {
  const loop = startLoop({
    beatMs: 3_600_000,
    slots: 4,
    onError: error => expect.unreachable(String(error)),
    ...options,
  });
  loops.push(loop);
  return loop;
}

/** A promise that is settled from outside. */
function gate(): { opened: Promise<void>; open(): void } {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open };
}

/** A queue to claim from. */
function queue(pieces: number[]) {
  const asked: number[] = [];
  return {
    asked,
    async claim(most: number) {
      asked.push(most);
      return pieces.splice(0, most);
    },
  };
}

describe('claiming', () => {
  it('does everything there is, never more at once than there are slots', async () => {
    const { claim, asked } = queue(Array.from({ length: 50 }, (_, at) => at));
    const done: number[] = [];
    let [now, most] = [0, 0];
    const loop = start<number>({
      claim,
      async perform(piece) {
        most = Math.max(most, ++now);
        await soon();
        now--;
        done.push(piece);
      },
    });
    await loop.wake();
    while (done.length < 50) await wait(1);
    expect(done.sort((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, at) => at));
    expect(most).toBe(4);
    expect(asked.every(count => count >= 1 && count <= 4)).toBe(true);
  });

  it('lets one slow piece hold up only its own slot', async () => {
    const slow = gate();
    const { claim } = queue(Array.from({ length: 40 }, (_, at) => at));
    const done: number[] = [];
    const loop = start<number>({
      slots: 2,
      claim,
      async perform(piece) {
        if (piece === 0) await slow.opened;
        done.push(piece);
      },
    });
    void loop.wake();
    while (done.length < 39) await wait(1);
    expect(done).not.toContain(0);
    slow.open();
    await loop.stop();
    expect(done).toHaveLength(40);
  });

  it('never runs two claims at once, and none without a free slot', async () => {
    let [running, most] = [0, 0];
    const left = Array.from({ length: 30 }, (_, at) => at);
    const loop = start<number>({
      slots: 3,
      async claim(count) {
        expect(count).toBeGreaterThan(0);
        most = Math.max(most, ++running);
        await soon();
        running--;
        return left.splice(0, count);
      },
      perform: () => wait(1),
    });
    await Promise.all(Array.from({ length: 20 }, () => loop.wake()));
    while (left.length > 0) await wait(1);
    expect(most).toBe(1);
  });

  it('looks at every beat without being woken', async () => {
    const { claim, asked } = queue([]);
    start<number>({ beatMs: 5, claim, perform: async () => {} });
    expect(asked).toEqual([]);
    while (asked.length < 3) await wait(1);
  });

  it('rests when there is nothing', async () => {
    const { claim, asked } = queue([]);
    const loop = start<number>({ claim, perform: async () => {} });
    await loop.wake();
    await wait(20);
    expect(asked).toEqual([4]);
  });
});

describe('waking', () => {
  it('sees what became due while a claim was under way', async () => {
    const first = gate();
    const due: number[] = [];
    const done: number[] = [];
    let claims = 0;
    const loop = start<number>({
      async claim() {
        // What is due is read when the claim begins, as a database would.
        const found = due.splice(0);
        if (++claims === 1) await first.opened;
        return found;
      },
      async perform(piece) {
        done.push(piece);
      },
    });
    const before = loop.wake();
    due.push(1);
    const after = loop.wake();
    first.open();
    await before;
    await after;
    expect([claims >= 2, done]).toEqual([true, [1]]);
  });

  it('resolves when what was handed out is finished', async () => {
    const slow = gate();
    const { claim } = queue([1]);
    let woken = false;
    const loop = start<number>({ claim, perform: () => slow.opened });
    const wake = loop.wake().then(() => {
      woken = true;
    });
    await wait(5);
    expect(woken).toBe(false);
    slow.open();
    await wake;
  });

  it('waits for a slot when all are taken', async () => {
    const slow = gate();
    const { claim, asked } = queue([1, 2, 3]);
    const done: number[] = [];
    const loop = start<number>({
      slots: 2,
      claim,
      async perform(piece) {
        await slow.opened;
        done.push(piece);
      },
    });
    void loop.wake();
    await wait(2);
    const later = loop.wake();
    await wait(2);
    expect(asked).toEqual([2]);
    slow.open();
    await later;
    expect(done).toContain(3);
  });
});

describe('failing', () => {
  it('survives claims that fail, and tells', async () => {
    const errors: unknown[] = [];
    let claims = 0;
    const done: number[] = [];
    const loop = start<number>({
      onError: error => errors.push(error),
      claim() {
        // One throws before it gives a promise, one after.
        if (++claims === 1) throw new Error('the database is away');
        if (claims === 2) return Promise.reject(new Error('still away'));
        return Promise.resolve(claims === 3 ? [7] : []);
      },
      async perform(piece) {
        done.push(piece);
      },
    });
    await loop.wake();
    await loop.wake();
    expect([errors.map(String), done]).toEqual([['Error: the database is away', 'Error: still away'], []]);
    await loop.wake();
    expect(done).toEqual([7]);
  });

  it('survives pieces that fail, and gives their slot back', async () => {
    const errors: unknown[] = [];
    const { claim } = queue([1, 2, 3, 4, 5, 6]);
    const done: number[] = [];
    const loop = start<number>({
      slots: 1,
      onError: error => errors.push(error),
      claim,
      perform(piece) {
        // One throws before it gives a promise, one after.
        if (piece === 2) throw new Error('at once');
        if (piece === 3) return Promise.reject(new Error('later'));
        done.push(piece);
        return Promise.resolve();
      },
    });
    void loop.wake();
    while (done.length < 4) await wait(1);
    expect([done, errors.map(String)]).toEqual([
      [1, 4, 5, 6],
      ['Error: at once', 'Error: later'],
    ]);
  });
});

describe('stopping', () => {
  it('waits for what is under way and claims nothing more', async () => {
    const slow = gate();
    const { claim, asked } = queue([1, 2, 3]);
    const done: number[] = [];
    const loop = start<number>({
      slots: 2,
      beatMs: 1,
      claim,
      async perform(piece) {
        await slow.opened;
        done.push(piece);
      },
    });
    void loop.wake();
    await wait(5);
    let stopped = false;
    const stop = loop.stop().then(() => {
      stopped = true;
    });
    await wait(5);
    expect(stopped).toBe(false);
    slow.open();
    await stop;
    await wait(10);
    expect([done, asked]).toEqual([[1, 2], [2]]);
  });

  it('does what a claim brings that was under way', async () => {
    const slow = gate();
    const done: number[] = [];
    const loop = start<number>({
      async claim() {
        await slow.opened;
        return [1];
      },
      async perform(piece) {
        done.push(piece);
      },
    });
    void loop.wake();
    const stop = loop.stop();
    slow.open();
    await stop;
    expect(done).toEqual([1]);
  });

  it('lets go of everybody who waits, and of who comes later', async () => {
    const slow = gate();
    const { claim } = queue([1]);
    const loop = start<number>({ slots: 1, claim, perform: () => slow.opened });
    void loop.wake();
    await wait(2);
    const waiting = loop.wake();
    const stop = loop.stop();
    slow.open();
    await Promise.all([waiting, stop, loop.wake(), loop.stop()]);
  });
});
