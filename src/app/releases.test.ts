/** Releases: nobody waits for them, and they are tried on until they have succeeded or are of no use any more. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { createReleases } from './releases.ts';

const PATIENTLY = { timeout: 10_000, interval: 5 };

describe('a release', () => {
  it('is done when it resolves', async () => {
    const done: string[] = [];
    await createReleases().release(async () => void done.push('key'), performance.now() + 1_000);
    expect(done).toEqual(['key']);
  });

  it('that fails keeps nobody waiting, and is tried on until it succeeds', async () => {
    let tries = 0;
    const { release } = createReleases(10);
    const began = performance.now();
    await release(async () => {
      if (++tries < 3) throw new Error('the database is away');
    }, began + 20_000);
    expect(tries).toBeLessThan(3);
    expect(performance.now() - began).toBeLessThan(1_000);
    await vi.waitFor(() => expect(tries).toBe(3), PATIENTLY);
    await wait(300);
    expect(tries).toBe(3);
  });

  it('is left to its lease in the end', async () => {
    let tries = 0;
    await createReleases(5_000).release(async () => {
      tries++;
      throw new Error('the database is away');
    }, performance.now() + 100);
    expect(tries).toBe(1);
  });

  it('is not begun when its time is over: the lease may be another’s', async () => {
    const done: string[] = [];
    await createReleases().release(async () => void done.push('key'), performance.now());
    expect(done).toEqual([]);
  });

  it('is tried once more at the end, and not after it', async () => {
    let tries = 0;
    const releases = createReleases(10);
    await releases.release(async () => {
      tries++;
      throw new Error('the database is away');
    }, performance.now() + 20_000);
    await releases.stop();
    expect(tries).toBe(2);
    await wait(300);
    expect(tries).toBe(2);
  });
});
