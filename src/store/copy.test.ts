/** Rows that nobody can take: whoever copies them is told, and the process lives. */
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import type pg from 'pg';
import { expect, it, vi } from 'vitest';
import { copyOut } from './copy.ts';

/** A connection that gives as many rows as it is let. */
function giving(stream: object): pg.Client {
  const query = (conversation: { handleCopyData(message: object, connection: object): void }) =>
    conversation.handleCopyData({ chunk: Buffer.alloc(70_000) }, { stream });
  return Object.assign(new EventEmitter(), { query }) as unknown as pg.Client;
}

it('fails with the reason, and leaves no promise behind that nobody looks at', async () => {
  const [pause, resume, onUnhandled] = [vi.fn(), vi.fn(), vi.fn()];
  process.on('unhandledRejection', onUnhandled);
  try {
    const full = () => Promise.reject(new Error('no space left on device'));
    await expect(copyOut(giving({ pause, resume }), 'copy t to stdout', full)).rejects.toThrow('no space');
    await turn();
    expect(onUnhandled).not.toHaveBeenCalled();
    expect([pause.mock.calls.length, resume.mock.calls.length]).toEqual([1, 0]);
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
});

it('goes on when what was given has been taken', async () => {
  const resume = vi.fn();
  void copyOut(giving({ pause() {}, resume }), 'copy t to stdout', () => Promise.resolve());
  await turn();
  expect(resume).toHaveBeenCalledOnce();
});
