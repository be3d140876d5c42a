/** A clock of a process's own: it shows another time than the machine's, and jumps. What only goes forward stays as it is. */

const RealDate = Date;
let aheadMs = 0;

/** To be called before anything asks what time it is. */
export function enterClock(ahead: number): void {
  aheadMs = ahead;
  const now = () => RealDate.now() + aheadMs;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, made) => Reflect.construct(target, given.length > 0 ? given : [now()], made),
    apply: () => new RealDate(now()).toString(),
    get: (target, name) => (name === 'now' ? now : Reflect.get(target, name)),
  });
}

/** Reads how far to be ahead from now on, from the last line of a text. */
export function setClock(text: string): void {
  const last = text.trim().split('\n').at(-1);
  if (last !== undefined && /^-?\d+$/.test(last)) aheadMs = Number(last);
}
