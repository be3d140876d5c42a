/** Openramp’s stand-in alone in its sandbox, under a clock that is wound by hand, and Jane, who answers what it asks. */
import { afterEach, beforeEach } from 'vitest';
import type { ProviderId } from '../src/domain/words.ts';
import { currencies } from '../src/main.ts';
import { standin } from '../src/providers/openramp/standin.ts';
import { type Sandbox, startSandbox } from '../src/sandbox/server.ts';

export const NOON = Date.parse('2026-01-01T12:00:00Z');
export const OPENRAMP = 'openramp' as ProviderId;

export const JANE = {
  ...{ firstName: 'Jane', lastName: 'Doe', dateOfBirth: '1998-01-01', street: 'Street 1', town: 'Town' },
  ...{ postCode: '10115', country: 'DE', phoneCountryCode: '49', phoneNumber: '3012345', termsOfUse: true },
};
export const CODE = { verifyEmailCode: '123456' };
export const PHONE = { verifyPhoneCode: '123456' };

export let sandbox: Sandbox;
let now = NOON;
let due: { at: number; act: () => void }[] = [];

/** Sets it up for each test of a file, at noon. */
export function setRamp(): void {
  beforeEach(async () => {
    [now, due] = [NOON, []];
    sandbox = await startSandbox({
      standins: new Map([[OPENRAMP, standin]]),
      currencies,
      host: '127.0.0.1',
      port: 0,
      now: () => now,
      later(ms, act) {
        const entry = { at: now + ms, act };
        due.push(entry);
        return () => {
          due = due.filter(other => other !== entry);
        };
      },
    });
  });
  afterEach(() => sandbox.close());
}

/** Puts its clock to a moment; nothing falls due by that. */
export function wind(to: number): void {
  now = to;
}

/** Lets time pass; what falls due in it is done in its order. */
export function pass(ms: number): void {
  const until = now + ms;
  for (;;) {
    const [next] = due.filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
    if (!next) break;
    due = due.filter(entry => entry !== next);
    now = next.at;
    next.act();
  }
  now = until;
}
