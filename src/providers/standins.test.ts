/** Every adapter against its own stand-in: random asks are priced as they were asked, and wrong credentials are refused. */
import { beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../test/seeded.ts';
import { correct, draw, questionsTo } from '../../test/standin-asks.ts';
import { contextOf, errorOf, isExchange, makeWorld } from '../../test/standins.ts';
import { translate } from '../app/listings.ts';
import { writeJson } from '../domain/json.ts';
import type { Listing } from '../domain/listing.ts';
import { cut, raise } from '../domain/money.ts';
import { type Ask, type Decline, type Price, priceOffer } from '../domain/offer.ts';
import type { AssetId, FiatId } from '../domain/words.ts';
import { Upstream } from '../engine/upstream.ts';
import { currencies } from '../main.ts';
import type { NativeAsk } from './contract.ts';
import { registry } from './registry.ts';

for (const registered of registry) {
  const { adapter, standin } = registered;
  const { manifest } = adapter;

  describe(manifest.name, () => {
    const { catalog, quote, listings: list } = questionsTo(registered);
    let listings: Listing[] = [];

    beforeAll(() => {
      listings = list();
    });

    it('lists what it says it does, on each of its sides', () => {
      expect(new Set(listings.map(({ side }) => side))).toEqual(new Set(manifest.sides));
      for (const side of manifest.sides) {
        const blocks = listings.filter(listing => listing.side === side);
        expect(new Set(blocks.flatMap(({ assets }) => [...assets.keys()])).size).toBeGreaterThan(10);
        const isThere = ({ assets, fiats }: Listing) =>
          assets.has('btc_bitcoin' as AssetId) && fiats.has('eur' as FiatId);
        expect(blocks.some(isThere)).toBe(true);
      }
    });

    it('lists nothing in words that we would drop', () => {
      const dropped = catalog().flatMap(theirs => {
        const [ours] = translate([theirs], manifest, currencies);
        const assets = theirs.assets.length - (ours?.assets.size ?? 0);
        const fiats = theirs.fiats.length - (ours?.fiats.size ?? 0);
        return assets === 0 && fiats === 0 ? [] : [`${theirs.side}: ${assets} assets, ${fiats} fiats`];
      });
      expect(dropped).toEqual([]);
    });

    it('prices 300 random asks as they were asked, and every price is believed', () => {
      const random = seeded(manifest.id.length);
      const wrong: string[] = [];
      const sides = { buy: 0, sell: 0 };
      let again = 0;
      for (let asked = 0; asked < 300; ) {
        const ask = draw(random, listings);
        if (!ask) continue;
        asked++;
        const first = quote(ask);
        const corrected = correct(ask, first);
        if (corrected) again++;
        const final = corrected ?? ask;
        const answer = corrected ? quote(corrected) : first;
        const flaw = flawOf(final, answer);
        if (flaw) wrong.push(`${say(final)}: ${flaw}`);
        else sides[ask.side]++;
      }
      expect(wrong).toEqual([]);
      expect(Math.min(...manifest.sides.map(side => sides[side]))).toBeGreaterThan(50);
      expect(again).toBeLessThan(60);
    });

    it('prices exact payouts where its manifest says so', () => {
      const random = seeded(7);
      const wrong: string[] = [];
      for (let asked = 0; asked < 60; ) {
        const drawn = draw(random, listings);
        if (!drawn || !manifest.pricesDestination.includes(drawn.side)) {
          if (manifest.pricesDestination.length === 0) break;
          continue;
        }
        const ask = correct(drawn, quote(drawn)) ?? drawn;
        const forward = quote(ask);
        asked++;
        if ('kind' in forward) {
          wrong.push(`${say(ask)}: ${forward.message}`);
          continue;
        }
        const exact: NativeAsk = { ...ask, amount: forward.gets, amountOf: 'destination' };
        const back = quote(exact);
        // At the very edge of the limits the way back may lie just beyond them.
        const flaw = 'kind' in back && back.reason === 'limit' ? undefined : flawOf(exact, back);
        if (flaw) wrong.push(`${say(exact)}: ${flaw}`);
      }
      expect(wrong).toEqual([]);
    });

    it('answers the same question the same way', () => {
      const random = seeded(9);
      const asks = Array.from({ length: 40 }, () => draw(random, listings)).filter(ask => ask !== undefined);
      const shown = () => asks.map(ask => writeJson(quote(ask)));
      expect(shown()).toEqual(shown());
      expect(writeJson(catalog())).toBe(writeJson(catalog()));
    });

    it('refuses credentials that are not its own, for each one that comes with a quote', () => {
      const ask = draw(seeded(11), listings);
      if (!ask) expect.fail('nothing was drawn');
      const asked = adapter.quote(ask, contextOf(standin.settings, makeWorld()));
      const sent = isExchange(asked) ? JSON.stringify(asked.request) : '';
      for (const { name, required } of manifest.settings) {
        if (!required || !sent.includes(standin.settings[name] ?? '')) continue;
        for (const value of [
          '',
          'wrong',
          `${standin.settings[name]}x`,
          standin.settings[name]?.toUpperCase() ?? '',
        ]) {
          if (value === standin.settings[name]) continue;
          const trouble = errorOf(() => quote(ask, { ...standin.settings, [name]: value }));
          expect(trouble).toBeInstanceOf(Upstream);
          expect((trouble as Upstream).kind).toBe('unauthorized');
        }
      }
    });

    it('declines what is far below and far above its limits', () => {
      const random = seeded(13);
      const reasons = new Set<string>();
      for (let asked = 0; asked < 20; asked++) {
        const ask = draw(random, listings);
        if (!ask) continue;
        for (const amount of [
          raise(ask.amount.div(10_000), sourcePlaces(ask)),
          cut(ask.amount.times(100_000), 2),
        ]) {
          const answer = quote({ ...ask, amount });
          reasons.add('kind' in answer ? answer.reason : `a price for ${say({ ...ask, amount })}`);
        }
      }
      expect([...reasons].filter(reason => !['limit', 'refused'].includes(reason))).toEqual([]);
      expect(reasons).toContain('limit');
    });
  });
}

function sourcePlaces(ask: Ask): number {
  return (ask.side === 'buy' ? ask.fiat : ask.asset).decimals;
}

/** What is wrong with an answer to a question that should have been priced. */
function flawOf(ask: NativeAsk, answer: Price | Decline): string | undefined {
  if ('kind' in answer) return `declined (${answer.reason}): ${answer.message}`;
  const offer = priceOffer(ask, answer);
  if (typeof offer === 'string') return offer;
  const echoed = ask.amountOf === 'source' ? offer.pays : offer.gets;
  return echoed.eq(ask.amount) ? undefined : `echoed ${echoed}`;
}

function say({ side, amount, amountOf, asset, fiat, method, country }: Ask): string {
  return `${side} ${amountOf} ${amount} ${asset.id}/${fiat.code} ${method} ${country}`;
}
