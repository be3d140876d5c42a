/** The beginning: texts that cannot be had at once are asked for again, and what failed in the end is told. */
import { describe, expect, it, vi } from 'vitest';
import { loadTexts } from './beginning.ts';

const GONE = () => Promise.reject(new TypeError('Failed to fetch'));
const BROKEN = async () => new Response('', { status: 503 });
const THERE = async () => Response.json({ buy: 'Kaufen' });

function load(...answers: (() => Promise<Response>)[]) {
  const fetch = vi.fn((_url: string) => answers.shift()?.() ?? GONE());
  const pause = vi.fn(async (_ms: number) => undefined);
  return { texts: loadTexts('/de.json', { fetch, pause }), fetch, pause };
}

describe('texts', () => {
  it('are had at once, or after a pause', async () => {
    const { texts, pause } = load(THERE);
    expect(await texts).toEqual({ buy: 'Kaufen' });
    expect(pause).not.toHaveBeenCalled();
    const late = load(GONE, BROKEN, THERE);
    expect(await late.texts).toEqual({ buy: 'Kaufen' });
    expect(late.pause.mock.calls).toEqual([[500], [2_000]]);
  });

  it('that cannot be had at all are given up', async () => {
    const { texts, fetch } = load(GONE, GONE, BROKEN, THERE);
    await expect(texts).rejects.toThrow('503');
    expect(fetch).toHaveBeenCalledTimes(3);
  });
});
