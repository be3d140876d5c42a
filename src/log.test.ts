/** Log lines: nothing in them hides from whoever reads them. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { showUnseen } from './log.ts';

it('are one object of JSON each, whatever was said, and show what cannot be seen', () => {
  const said = 'a\u202eb\u2066c\u2028d\u2029e\u0085f\u200bg\u007fh\u0000i\u001b[31m\nj\u{e0041}';
  let written = '';
  const stream = new Writable({
    write(chunk, _encoding, done) {
      written += chunk;
      done();
    },
  });
  pino({ base: null, hooks: { streamWrite: showUnseen } }, stream).warn({ word: said }, said);
  expect(written.split('\n').length).toBe(2);
  expect(written.trimEnd()).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(written)).toMatchObject({ word: said, msg: said });
});
