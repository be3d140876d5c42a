/** Surroundings: one exact origin hears, or nobody. */
import { describe, expect, it, vi } from 'vitest';
import { readMessage, seal } from './messages.ts';
import { lookAround } from './surroundings.ts';

function windowIn(around: { origins?: string[]; referrer?: string } | undefined) {
  const postMessage = vi.fn();
  const self = {
    location: { ancestorOrigins: around?.origins },
    document: { referrer: around?.referrer ?? '' },
  } as unknown as Window & { parent: unknown };
  Object.assign(self, { parent: around ? { postMessage } : self });
  return { self, postMessage };
}

describe('lookAround', () => {
  it('speaks to nobody on a page by itself', () => {
    const { self, postMessage } = windowIn(undefined);
    const { origins, tell } = lookAround(self, 'https://shop.example');
    tell({ type: 'ready' });
    expect(origins).toEqual([]);
    expect(postMessage).not.toHaveBeenCalled();
  });

  it('believes the browser before the page around it', () => {
    const { self, postMessage } = windowIn({ origins: ['https://shop.example', 'https://portal.example'] });
    const { origins, tell } = lookAround(self, 'https://other.example');
    tell({ type: 'ready' });
    expect(origins).toEqual(['https://shop.example', 'https://portal.example']);
    expect(postMessage).toHaveBeenCalledExactlyOnceWith(seal({ type: 'ready' }), 'https://shop.example');
  });

  it.each([
    ['what the page says', 'https://shop.example', ''],
    ['the referrer', null, 'https://shop.example/cart?x=1'],
  ])('goes by %s where the browser says nothing', (_, named, referrer) => {
    const { self, postMessage } = windowIn({ referrer });
    lookAround(self, named).tell({ type: 'ready' });
    expect(postMessage.mock.calls.map(([, origin]) => origin)).toEqual(['https://shop.example']);
  });

  it.each([{ origins: ['null'] }, { origins: ['capacitor://localhost'] }, { referrer: '' }])(
    'sends nothing to %j',
    around => {
      const { self, postMessage } = windowIn(around);
      lookAround(self, null).tell({ type: 'ready' });
      expect(postMessage).not.toHaveBeenCalled();
    },
  );
});

describe('readMessage', () => {
  it('knows its own and nothing else', () => {
    expect(readMessage(seal({ type: 'resize', height: 5 }))).toMatchObject({ type: 'resize', height: 5 });
    const others = [
      null,
      'ready',
      {},
      { source: 'cloverleaf', version: 2, type: 'ready' },
      { source: 'cloverleaf', version: 1, type: 'evil' },
    ];
    expect(others.map(readMessage)).toEqual(others.map(() => undefined));
  });
});
