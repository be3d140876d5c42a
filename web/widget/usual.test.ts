/** Usual amounts: comfortable, round, and within what the method takes. */
import { expect, it } from 'vitest';
import { exampleMethod, exampleSetup, exampleState } from './example.ts';
import { usualAmount } from './usual.ts';

const card = (limits: Parameters<typeof exampleMethod>[1]) => exampleMethod('creditcard', limits);

it('is some way above what the first provider of the chosen method needs, in round figures', () => {
  const other = exampleMethod('ach', { moonpay: { min: '900' } });
  const methods = [other, card({ guardarian: {}, moonpay: { min: '20.5' }, transak: { min: '5' } })];
  expect(usualAmount(exampleState({ methods }))).toBe('110');
});

it('looks at allowed providers only', () => {
  const only = { ...exampleSetup().only, onramps: ['transak'] };
  const methods = [card({ moonpay: { min: '20' }, transak: { min: '5' } })];
  expect(usualAmount(exampleState({ methods }, { only }))).toBe('25');
});

it('is the least itself where more would be too much', () => {
  const methods = [card({ moonpay: { min: '20' }, aggregatedLimit: { min: '20', max: '60' } })];
  expect(usualAmount(exampleState({ methods }))).toBe('20');
});

it('is by another method where the chosen one states nothing, and a plain one where none does', () => {
  const methods = [card({ moonpay: {} }), exampleMethod('ach', { moonpay: { min: '10' } })];
  expect(usualAmount(exampleState({ methods }))).toBe('50');
  expect(usualAmount(exampleState({ methods: [card({})] }))).toBe('100');
  expect(usualAmount(exampleState({ methods: [card({})], side: 'sell' }))).toBe('1');
});
