/** `node:timers/promises` as the service sees it. */
import { after } from './time.ts';

function virtualTimeout<T>(ms = 1, value?: T): Promise<T | undefined> {
  return new Promise(resolve => after(Math.max(1, ms), () => resolve(value)));
}

function virtualImmediate<T>(value?: T): Promise<T | undefined> {
  return new Promise(resolve => after(0, () => resolve(value)));
}

export { virtualImmediate as setImmediate, virtualTimeout as setTimeout };
