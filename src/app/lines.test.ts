/** Lines: where a provider's hosts are when the operator names a part of them. */
import { describe, expect, it } from 'vitest';
import type { Manifest } from '../providers/contract.ts';
import { basesOf } from './lines.ts';

const manifest = {
  hosts: {
    api: { live: 'https://api.example', test: 'https://api.test.example' },
    pages: { live: 'https://{partner}.example', test: 'https://{partner}.test.example' },
  },
} as unknown as Manifest;

describe('hosts', () => {
  it('have the setting in the place of its name', () => {
    expect(basesOf(manifest, 'live', { partner: 'acme' })).toEqual({
      api: 'https://api.example',
      pages: 'https://acme.example',
    });
    expect(basesOf(manifest, 'test', { partner: 'ACME-2' })?.pages).toBe('https://acme-2.test.example');
  });

  it.each(['', 'evil.example/', 'a.b', 'a/b', 'a@b', 'a:b', '-a', 'a-', 'a b', 'ä', 'a'.repeat(64)])(
    'are none when the setting is “%s”',
    partner => {
      expect(basesOf(manifest, 'live', { partner })).toBeUndefined();
    },
  );
});
