/** Roll: everybody on it is called once, whoever was struck off is not. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRoll } from './roll.ts';

it('calls whoever is on it and was not struck off, once, in whatever order they came and went', () => {
  const deed = fc.record({ isComing: fc.boolean(), which: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 60 }), deeds => {
      const roll = createRoll();
      const called: number[] = [];
      const there = new Map<number, () => void>();
      for (const [number, { isComing, which }] of deeds.entries()) {
        if (isComing)
          there.set(
            number,
            roll.add(() => called.push(number)),
          );
        else {
          const [gone, strike] = [...there][which % Math.max(1, there.size)] ?? [];
          strike?.();
          // Striking off twice changes nothing.
          strike?.();
          if (gone !== undefined) there.delete(gone);
        }
      }
      roll.dismiss()();
      expect(called.sort((a, b) => a - b)).toEqual([...there.keys()]);
      roll.dismiss()();
      expect(called).toHaveLength(there.size);
    }),
  );
});

it('calls nobody who was struck off at the last moment, be it by somebody who is called', () => {
  const roll = createRoll();
  const called: string[] = [];
  const strikes = ['first', 'second', 'third'].map(name => roll.add(() => called.push(name)));
  roll.add(() => strikes[3]?.());
  strikes.push(roll.add(() => called.push('last')));
  const call = roll.dismiss();
  strikes[1]?.();
  roll.add(() => called.push('later'));
  call();
  expect(called).toEqual(['first', 'third']);
  for (const strike of strikes) strike();
  roll.dismiss()();
  expect(called).toEqual(['first', 'third', 'later']);
});
