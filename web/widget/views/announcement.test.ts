/** Announcements: what a screen reader is told is what somebody who sees looks for first. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exampleOffer, exampleState, play, priced } from '../example.ts';
import { createFigures } from '../figures.ts';
import type { State } from '../state.ts';
import { createSay, type Texts } from '../texts.ts';
import { announce } from './announcement.tsx';

const TEXTS = JSON.parse(readFileSync(join(import.meta.dirname, '../texts/en.json'), 'utf8')) as Texts;

const told = (state: State) =>
  announce({
    ...{ state, say: createSay(TEXTS, 'en'), figures: createFigures('en') },
    dispatch: () => undefined,
  }).replace(/[\u2068\u2069]/g, '');

describe('what is announced', () => {
  it('is what is received for the amount', () => {
    expect(told(priced([exampleOffer('moonpay', '0.001')]))).toBe(
      'Prices updated. Best offer: MoonPay, 0.001\u00a0BTC',
    );
  });

  it('is what is paid where the amount is what is received', () => {
    const typed = play(exampleState(), { type: 'typed', field: 'destination', text: '0.002' });
    const offer = exampleOffer('moonpay', '0.002', { pays: '187.31' });
    expect(told(priced([offer], typed))).toBe('Prices updated. Best offer: MoonPay, €187.31');
  });

  it('is that nobody serves the pair, once it is known what works', () => {
    const unserved = play(exampleState(), { type: 'methods', key: 'buy eur btc_bitcoin DE', methods: [] });
    expect(told(unserved)).toBe('');
    const { pair } = exampleState();
    const recommended = { pair: pair as never, amount: '100', method: 'creditcard' };
    const known = { type: 'recommendation' as const, key: 'buy eur btc_bitcoin DE' };
    expect(told(play(unserved, { ...known, recommended }))).toBe('EUR/BTC is not offered where you live');
    expect(told(play(unserved, { ...known, recommended: null }))).toBe('No provider serves Germany yet');
  });

  it('is that nobody serves the country', () => {
    expect(told(exampleState({}, { choices: {} }))).toBe('No provider serves Germany yet');
  });

  it('is that the country is missing, with a pair or without', () => {
    expect(told(exampleState({}, { country: null }))).toBe('Choose your country');
    expect(told(exampleState({}, { choices: {}, country: null }))).toBe('Choose your country');
  });

  it.each([
    ['12.345', 'EUR has at most 2 decimal places'],
    ['abc', 'Enter a number such as 12.5'],
    // Nothing is wrong yet with what is not finished.
    ['', ''],
    ['0.', ''],
  ])('is what is wrong with the amount %j', (text, flaw) => {
    const offered = priced([exampleOffer('moonpay', '0.001')]);
    expect(told(play(offered, { type: 'typed', field: 'source', text }))).toBe(flaw);
  });

  it('is how an amount is written that may be thousands', () => {
    const typed = play(exampleState(), { type: 'typed', field: 'destination', text: '1,500' });
    expect(told(typed)).toBe('Write it without separators: 1500');
  });

  it('is why there are no prices', () => {
    expect(told(priced([]))).toBe('No provider answers just now');
    const trouble = { at: 'quotes' as const, kind: 'unreachable' as const, message: '' };
    const failed = { ...priced([]), trouble };
    expect(told({ ...failed, round: { ...failed.round, phase: 'failed' } })).toBe(TEXTS.unreachable);
  });

  it('is nothing beside the other screens', () => {
    expect(told({ ...priced([exampleOffer('moonpay', '0.001')]), screen: 'wallet' })).toBe('');
  });
});
