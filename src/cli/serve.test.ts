/** Stopping: once for a signal however often it is passed on, and at once for whoever insists. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { closeOnSignals } from './serve.ts';

const STOPS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
const CRASHES = ['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV'] as const;

const before = process.eventNames().map(name => ({ name, listeners: process.rawListeners(name) }));
let exit: ReturnType<typeof vi.spyOn>;
let finish: () => void;
let service: { retire: ReturnType<typeof vi.fn>; close: ReturnType<typeof vi.fn> };

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  exit = vi.spyOn(process, 'exit').mockReturnValue(undefined as never);
  const closed = new Promise<void>(done => {
    finish = done;
  });
  service = { retire: vi.fn(), close: vi.fn(() => closed) };
  closeOnSignals(service as never, { stopNoticeMs: 0 });
});

afterEach(() => {
  for (const name of process.eventNames()) {
    for (const listener of process.rawListeners(name))
      if (!knownOf(name).includes(listener)) process.removeListener(name, listener as () => void);
  }
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const knownOf = (name: string | symbol) => before.find(one => one.name === name)?.listeners ?? [];

/** Only what was added here hears it. */
function tell(signal: NodeJS.Signals): void {
  for (const listener of process.listeners(signal)) if (!knownOf(signal).includes(listener)) listener(signal);
}

describe('a signal', () => {
  it.each(STOPS)('%s closes in order, and passed on at once it is the same one', async signal => {
    tell(signal);
    tell(signal);
    expect(exit).not.toHaveBeenCalled();
    await vi.waitFor(() => expect(service.close).toHaveBeenCalledTimes(1));
    expect(service.retire).toHaveBeenCalledTimes(signal === 'SIGTERM' ? 1 : 0);
    finish();
    await vi.waitFor(() => expect(exit).toHaveBeenCalledWith(0));
  });

  it('that comes again later ends it at once', async () => {
    tell('SIGINT');
    vi.advanceTimersByTime(600);
    tell('SIGINT');
    expect(exit).toHaveBeenCalledExactlyOnceWith(1);
    // Or it would end these tests once its patience is over.
    finish();
    await vi.waitFor(() => expect(exit).toHaveBeenCalledTimes(2));
  });

  it.each(CRASHES)('%s is nothing to live on after', signal => {
    expect(process.listenerCount(signal)).toBe(knownOf(signal).length);
  });
});
