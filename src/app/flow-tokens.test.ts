/** Flow tokens under every alteration. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFlowTokens } from './flow-tokens.ts';

const tokens = createFlowTokens(Buffer.alloc(32, 7));
const ID = '01J9ZQ6V6C2N9Y0R3M8T5K7W4X';
const PLACE = { transactionId: ID, turn: 1, option: 0 };
const places = fc.record({
  transactionId: fc.constant(ID),
  turn: fc.integer({ min: 0, max: 1_000 }),
  option: fc.integer({ min: 0, max: 19 }),
  isWait: fc.boolean(),
});

describe('a flow token', () => {
  it('leads to its flow, turn and option, and says whether that is a wait', () => {
    fc.assert(
      fc.property(places, place => {
        const token = tokens.tokenOf(place);
        expect(tokens.read(token)).toEqual(place);
        expect(token).toMatch(/^[\w-]{50,60}$/);
      }),
    );
  });

  it('opens nothing once a character of it was altered, taken or added', () => {
    const characters = fc.constantFrom(...'AZ09az-_. %w');
    fc.assert(
      fc.property(places, fc.nat(), characters, (place, at, character) => {
        const token = tokens.tokenOf(place);
        const here = at % token.length;
        const altered = [
          token.slice(0, here) + character + token.slice(here + 1),
          token.slice(0, here) + token.slice(here + 1),
          token.slice(0, here) + character + token.slice(here),
        ];
        for (const one of altered) if (one !== token) expect(tokens.read(one)).toBeUndefined();
      }),
    );
  });

  it('of another place, or under another key, is another one', () => {
    fc.assert(
      fc.property(places, places, (one, two) => {
        const tag = (token: string) => token.slice(-22);
        const [a, b] = [tokens.tokenOf(one), tokens.tokenOf(two)];
        fc.pre(a !== b);
        expect(tokens.read(a.slice(0, -22) + tag(b))).toBeUndefined();
      }),
    );
    const others = createFlowTokens(Buffer.alloc(32, 8));
    expect(others.read(tokens.tokenOf({ ...PLACE, isWait: false }))).toBeUndefined();
  });

  it('of no wait has no mark, and becomes one of a wait by no mark that is put to it', () => {
    const token = tokens.tokenOf({ ...PLACE, isWait: false });
    expect(token).toBe(`${ID}-1-0-5pj-oPgB4nL5fE5RsGEydC`);
    expect(tokens.read(token.replace('-1-0-', '-1-0w-'))).toBeUndefined();
    const wait = tokens.tokenOf({ ...PLACE, isWait: true });
    expect(tokens.read(wait.replace('-1-0w-', '-1-0-'))).toBeUndefined();
  });
});
