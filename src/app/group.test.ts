/** Group writes: nothing is lost, nothing written twice, and each gets its own result. */
import { setImmediate as tick, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGroup } from './group.ts';

describe('a group write', () => {
  it('takes together what comes together, and what comes meanwhile next', async () => {
    const written: number[][] = [];
    let release = () => {};
    const put = createGroup<number, number>({
      most: 10,
      async write(items) {
        written.push([...items]);
        if (written.length === 1) await new Promise<void>(resolve => (release = resolve));
        return items.map(item => item * 2);
      },
    });
    const first = [put(1), put(2)];
    await tick();
    const second = [put(3), put(4), put(5)];
    release();
    expect(await Promise.all([...first, ...second])).toEqual([2, 4, 6, 8, 10]);
    expect(written).toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  });

  it('never takes more than it may', async () => {
    const sizes: number[] = [];
    const put = createGroup<number, number>({
      most: 3,
      async write(items) {
        sizes.push(items.length);
        return items;
      },
    });
    const all = Array.from({ length: 10 }, (_, at) => at);
    expect(await Promise.all(all.map(put))).toEqual(all);
    expect(sizes).toEqual([3, 3, 3, 1]);
  });

  it('has as many writes under way as it may, and no more', async () => {
    let underWay = 0;
    let highest = 0;
    const put = createGroup<number, number>({
      most: 1,
      atOnce: 2,
      async write(items) {
        highest = Math.max(highest, ++underWay);
        await tick();
        underWay--;
        return items;
      },
    });
    const all = Array.from({ length: 10 }, (_, at) => at);
    expect(await Promise.all(all.map(put))).toEqual(all);
    expect(highest).toBe(2);
  });

  it('begins another write only for as many as the last one took', async () => {
    const written: number[][] = [];
    const ends: (() => void)[] = [];
    const put = createGroup<number, number>({
      most: 10,
      atOnce: 2,
      async write(items) {
        written.push([...items]);
        await new Promise<void>(resolve => ends.push(resolve));
        return items;
      },
    });
    const all = [put(1), put(2)];
    await tick();
    all.push(put(3));
    await tick();
    expect(written).toEqual([[1, 2]]);
    all.push(put(4));
    await tick();
    expect(written).toEqual([
      [1, 2],
      [3, 4],
    ]);
    all.push(put(5));
    ends.shift()?.();
    await tick();
    expect(written.at(-1)).toEqual([5]);
    for (const end of ends) end();
    expect(await Promise.all(all)).toEqual([1, 2, 3, 4, 5]);
  });

  it('lets nobody wait for a write that takes long', async () => {
    const written: number[][] = [];
    const put = createGroup<number, number>({
      most: 10,
      atOnce: 2,
      async write(items) {
        written.push([...items]);
        if (items.includes(1)) await new Promise(() => {});
        return items;
      },
    });
    void put(1);
    void put(2);
    await tick();
    expect(await put(3)).toBe(3);
    expect(written).toEqual([[1, 2], [3]]);
  });

  it('tells everybody whose write failed, and goes on', async () => {
    let fails = true;
    const put = createGroup<number, number>({
      most: 2,
      async write(items) {
        if (fails) throw new Error('away');
        return items;
      },
    });
    const outcomes = await Promise.allSettled([put(1), put(2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await put(3)).toBe(3);
  });

  it('tells whoever waited long for a write that failed, and lets those who have just come try', async () => {
    let fail = (_: Error) => {};
    const written: number[][] = [];
    const put = createGroup<number, number>({
      most: 10,
      async write(items) {
        written.push([...items]);
        if (written.length === 1) await new Promise((_, reject) => (fail = reject));
        return items;
      },
    });
    const first = put(1).catch(error => error.message);
    await tick();
    const long = put(2).catch(error => error.message);
    await wait(250);
    const late = put(3);
    fail(new Error('away'));
    expect(await Promise.all([first, long, late])).toEqual(['away', 'away', 3]);
    expect(written).toEqual([[1], [3]]);
  });
});
