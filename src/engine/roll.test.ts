/** Roll: everybody on it is told once, whoever was struck off is not. */
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { createRoll, nowhere, type Place } from './roll.ts';
import { Upstream } from './upstream.ts';

const FAULT = new Upstream('late', 'over');

it('tells whoever is on it and was not struck off, once, in whatever order they came and went', () => {
  const deed = fc.record({ isComing: fc.boolean(), which: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(deed, { maxLength: 60 }), deeds => {
      const roll = createRoll();
      const told: number[] = [];
      const there = new Map<number, Place>();
      for (const [number, { isComing, which }] of deeds.entries()) {
        if (isComing) there.set(number, roll.add({ giveUp: () => told.push(number) }));
        else {
          const [gone, place] = [...there][which % Math.max(1, there.size)] ?? [];
          if (gone === undefined || !place) continue;
          roll.strike(place);
          // Striking off twice changes nothing.
          roll.strike(place);
          there.delete(gone);
        }
      }
      roll.dismiss(FAULT)();
      expect(told.sort((a, b) => a - b)).toEqual([...there.keys()]);
      roll.dismiss(FAULT)();
      expect(told).toHaveLength(there.size);
    }),
  );
});

it('tells nobody who was struck off at the last moment, be it by somebody who is told', () => {
  const roll = createRoll();
  const told: string[] = [];
  const join = (name: string) => roll.add({ giveUp: () => told.push(name) });
  const places = ['first', 'second', 'third'].map(join);
  roll.add({ giveUp: () => places[3] && roll.strike(places[3]) });
  places.push(join('last'));
  const tell = roll.dismiss(FAULT);
  if (places[1]) roll.strike(places[1]);
  join('later');
  tell();
  expect(told).toEqual(['first', 'third']);
  for (const place of places) roll.strike(place);
  roll.dismiss(FAULT)();
  expect(told).toEqual(['first', 'third', 'later']);
});

it('says what is wrong, and takes no notice of those who stand nowhere', () => {
  const roll = createRoll();
  const giveUp = vi.fn();
  roll.add({ giveUp });
  roll.strike(nowhere());
  roll.dismiss(FAULT)();
  expect(giveUp.mock.calls).toEqual([[FAULT]]);
});
