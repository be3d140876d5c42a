/** What files are by their first bytes. */
import { describe, expect, it } from 'vitest';
import { typeOfFile } from './file-types.ts';

describe('a file', () => {
  it.each([
    ['image/jpeg', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['image/png', Buffer.from('89504e470d0a1a0a0000', 'hex')],
    ['application/pdf', Buffer.from('%PDF-1.4')],
    [undefined, Buffer.from('89504e470d0a', 'hex')],
    [undefined, Buffer.from(' %PDF-1.4')],
    [undefined, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    [undefined, Buffer.from('GIF89a')],
    [undefined, Buffer.alloc(0)],
  ])('is %s', (type, bytes) => {
    expect(typeOfFile(bytes)).toBe(type);
  });
});
