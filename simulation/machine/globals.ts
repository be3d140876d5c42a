/** What the service finds where it expects timers, dates and a clock; put in their place when the simulation is built. */
import { after, cancel, currentOwner, type Entry, ticks, wallOf } from './time.ts';

type Act = (...args: unknown[]) => void;

/** What a timer of Node's can be asked for. */
class Timer {
  entry: Entry | undefined;
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return true;
  }
  [Symbol.toPrimitive](): number {
    return this.entry?.serial ?? 0;
  }
}

function virtualTimeout(act: Act, ms = 0, ...args: unknown[]): Timer {
  const timer = new Timer();
  timer.entry = after(Math.max(1, Number(ms) || 1), () => act(...args));
  return timer;
}

function virtualInterval(act: Act, ms = 0, ...args: unknown[]): Timer {
  const timer = new Timer();
  const every = Math.max(1, Number(ms) || 1);
  const owner = currentOwner();
  const plan = () => {
    timer.entry = after(
      every,
      () => {
        plan();
        act(...args);
      },
      owner,
    );
  };
  plan();
  return timer;
}

function virtualImmediate(act: Act, ...args: unknown[]): Timer {
  const timer = new Timer();
  timer.entry = after(0, () => act(...args));
  return timer;
}

function clear(timer: Timer | undefined): void {
  cancel(timer?.entry);
}

const RealDate = globalThis.Date;

class VirtualDate extends RealDate {
  constructor(...parts: unknown[]) {
    if (parts.length === 0) super(wallOf());
    else super(...(parts as [number]));
  }
  static override now(): number {
    return wallOf();
  }
  /** Dates that others made are dates as well. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.toString.call(value) === '[object Date]';
  }
}

export {
  clear as clearImmediate,
  clear as clearInterval,
  clear as clearTimeout,
  VirtualDate as Date,
  virtualImmediate as setImmediate,
  virtualInterval as setInterval,
  virtualTimeout as setTimeout,
};

export const performance = { now: ticks, timeOrigin: 0 };
