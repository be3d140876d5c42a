/** The handover: who hears the next step, and whether that is known. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { handOver } from './handover.js';

const STEP = { type: 'completed' };
const SHOP = 'https://shop.example';
const PROVIDER = 'https://pay.provider.example';

const postMessage = vi.fn();
const close = vi.fn();

beforeEach(() => {
  vi.clearAllMocks();
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** The page as it stands in a window that a script has opened, or in a frame; the browser says where it came from. */
function stand(where: 'window' | 'frame', referrer: string, ancestorOrigins?: string[]): void {
  const other = { postMessage, closed: false };
  const own: Record<string, unknown> = { opener: other, close };
  own.parent = where === 'frame' ? other : own;
  vi.stubGlobal('window', own);
  vi.stubGlobal('location', { ancestorOrigins });
  vi.stubGlobal('document', {
    referrer,
    getElementById: () => ({ dataset: { step: JSON.stringify(STEP), listener: '' } }),
  });
}

describe('handOver', () => {
  it('tells the page that is known, in a window and in a frame', () => {
    stand('window', `${PROVIDER}/`);
    expect(handOver(STEP, SHOP)).toBe('elsewhere');
    stand('frame', `${PROVIDER}/`);
    expect(handOver(STEP, SHOP)).toBe('around');
    expect(postMessage.mock.calls).toEqual([
      [STEP, SHOP],
      [STEP, SHOP],
    ]);
  });

  it('tells whoever frames it where no page is known', () => {
    stand('frame', `${PROVIDER}/`, [SHOP]);
    expect(handOver(STEP, '')).toBe('around');
    expect(postMessage).toHaveBeenCalledWith(STEP, SHOP);
  });

  it('does not believe that the page it came from has opened its window', () => {
    stand('window', `${PROVIDER}/`);
    expect(handOver(STEP, '')).toBe('nobody');
    stand('window', '');
    expect(handOver(STEP, '')).toBe('nobody');
  });
});

describe('back from a provider’s page', () => {
  it('leaves the window open for whoever may not have been heard', async () => {
    stand('window', `${PROVIDER}/`);
    await import('./step-back.js');
    expect(close).not.toHaveBeenCalled();
  });
});
