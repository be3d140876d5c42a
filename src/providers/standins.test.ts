/** Every adapter against its own stand-in: random asks are priced as asked and can be ordered, wrong credentials are not. */
import { beforeAll, describe, expect, it } from 'vitest';
import { translate } from '../app/listings.ts';
import { parseJson, writeJson } from '../domain/json.ts';
import type { ListedAsset, ListedMethod, Listing } from '../domain/listing.ts';
import { type Amount, cut, largest, raise, significant, smallest } from '../domain/money.ts';
import { type Ask, type Decline, type Price, priceOffer } from '../domain/offer.ts';
import type { AssetId, CountryCode, FiatId, MethodId } from '../domain/words.ts';
import { hear } from '../engine/line.ts';
import { isProven } from '../engine/proof.ts';
import { isSigned, sign } from '../engine/sign.ts';
import { Upstream } from '../engine/upstream.ts';
import { currencies } from '../main.ts';
import { createMarket } from '../sandbox/market.ts';
import { createMemory } from '../sandbox/memory.ts';
import type { Delivery, NativeAsk, NativeOrder, Notice } from './contract.ts';
import type { Context, Exchange, HttpAnswer, HttpRequest, Work } from './exchange.ts';
import { type Registered, registry } from './registry.ts';
import type { OutgoingWebhook, StandinAnswer, StandinRequest, World } from './world.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const market = createMarket({ seed: 1, now: NOW });

/** A world in which what is told is kept, and nothing happens later. */
function makeWorld(told: OutgoingWebhook[] = []): World {
  let serial = 0;
  return {
    ...{ now: NOW, market, currencies, id: () => `id${++serial}`, sign, isSigned },
    base: host => `http://sandbox.example/${host}`,
    hookPath: '/hooks/x',
    orders: createMemory(),
    notes: createMemory(),
    notify: webhook => void told.push(webhook),
    later: () => {},
  };
}

type Settings = Readonly<Record<string, string>>;

/** Carries work out against the stand-in, as a line does over HTTP. */
function perform<T>(
  { standin }: Registered,
  {
    work,
    settings,
    decline,
    world = makeWorld(),
  }: {
    work(context: Context): Work<T>;
    settings: Settings;
    decline?(answer: HttpAnswer): T | undefined;
    world?: World;
  },
): T {
  let step = work(contextOf(settings, world));
  while (isExchange(step)) {
    step = hear(step, answerTo(standin.routes, step.request, world), decline);
  }
  return step;
}

function contextOf(settings: Settings, world: World): Context {
  return {
    now: NOW,
    id: 'w1',
    settings,
    secret: name => settings[name] ?? '',
    has: name => !!settings[name],
    base: host => world.base(host),
    sign: (how, name, text) => sign(how, settings[name] ?? '', text),
  };
}

function isExchange<T>(work: Work<T>): work is Exchange<T> {
  return typeof work === 'object' && work !== null && (work as Exchange<T>).kind === 'exchange';
}

function answerTo(routes: Registered['standin']['routes'], request: HttpRequest, world: World): HttpAnswer {
  const { status, headers, body } = reach(
    routes,
    {
      ...{ method: request.method, host: request.host, path: request.path, headers: request.headers ?? {} },
      search: request.query ? `?${fieldsOf(request.query)}` : '',
      rawBody: request.body === undefined ? '' : writeJson(request.body),
      form: Object.fromEntries(fieldsOf(request.form)),
    },
    world,
  );
  const text = typeof body === 'string' ? body : writeJson(body);
  return { status, headers: headers ?? {}, body: parseJson(text) };
}

function fieldsOf(fields: HttpRequest['form'] = {}): URLSearchParams {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given as [string, string][]);
}

interface Reached extends Pick<StandinRequest, 'search' | 'headers' | 'rawBody'> {
  form?: StandinRequest['form'];
  method: string;
  host: string;
  path: string;
}

/** Finds the route and has it answer. */
function reach(routes: Registered['standin']['routes'], request: Reached, world: World): StandinAnswer {
  const { method, host, path, search, headers, rawBody, form = {} } = request;
  const wanted = path.split('/');
  for (const route of routes) {
    const segments = route.path.split('/');
    const fits = segments.every((segment, at) => segment.startsWith(':') || segment === wanted[at]);
    if (route.method !== method || route.host !== host || segments.length !== wanted.length || !fits)
      continue;
    const params = segments.flatMap((segment, at) =>
      segment.startsWith(':') ? [[segment.slice(1), decodeURIComponent(wanted[at] ?? '')]] : [],
    );
    return route.answer(
      {
        ...{ search, rawBody, ip: '192.0.2.1', form },
        // As Node has them.
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
        ),
        params: Object.fromEntries(params),
        query: Object.fromEntries(new URLSearchParams(search)),
        body: rawBody ? parseJson(rawBody) : undefined,
      },
      world,
    );
  }
  throw new Error(`the stand-in has no ${method} ${path} on ${host}`);
}

/** Opens a page, and makes moves on it; the answer to the last one is what is left. */
function visit({ standin }: Registered, url: string, { world, moves }: { world: World; moves: string[] }) {
  const to = (method: string, target: string): StandinAnswer => {
    const { pathname, search } = new URL(target, 'http://sandbox.example');
    const [, host = '', ...rest] = pathname.split('/');
    return reach(
      standin.routes,
      { method, host, path: `/${rest.join('/')}`, search, headers: {}, rawBody: '' },
      world,
    );
  };
  const opened = to('GET', url);
  const place = opened.headers?.location;
  if (!place) return opened;
  for (const move of moves) to('POST', `${place}/${move}`);
  return to('GET', place);
}

/** A small generator with a seed, so that a failure can be looked at. */
function seeded(seed: number): (below: number) => number {
  let state = seed;
  return below => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

type Random = ReturnType<typeof seeded>;

function pick<T>(random: Random, from: Iterable<T>): T {
  const all = [...from];
  const one = all[random(all.length)];
  if (one === undefined) throw new Error('nothing to choose from');
  return one;
}

/** Something listed, with a country where it may be had; undefined when there is none. */
function draw(random: Random, listings: readonly Listing[]): NativeAsk | undefined {
  const listing = pick(random, listings);
  const [assetId, listedAsset] = pick(random, listing.assets);
  const [fiatId, listedFiat] = pick(random, listing.fiats);
  const [method, listedMethod] = pick(random, listedFiat.methods);
  const country = countryFor(random, listing, { asset: listedAsset, method: listedMethod });
  const asset = currencies.assets.get(assetId as AssetId);
  const fiat = currencies.fiats.get(fiatId as FiatId);
  const price = asset && fiat && market.price(asset, fiat.code);
  const euro = fiat && market.perEuro(fiat.code);
  if (!country || !asset || !fiat || !price || !euro) return undefined;

  const least = listedMethod.min ?? euro.times(40);
  const most = smallest(listedMethod.max, euro.times(2_000)) ?? least;
  const worth = largest(least.times('1.1'), euro.times(20 + random(1_500))) ?? least;
  const held = worth.gt(most) ? most : worth;
  const fixed =
    listing.side === 'buy'
      ? // Large sums are asked for in whole units, which is all that some providers take.
        cut(held, held.gte(1_000) ? 0 : fiat.decimals)
      : within(
          significant(raise(held.times('1.1').div(price), asset.decimals), 7),
          listedAsset,
          asset.decimals,
        );
  return {
    ...{ side: listing.side, fiat, asset, method: method as MethodId, country, amountOf: 'source' },
    amount: fixed,
    native: {
      fiat: listedFiat.native,
      asset: listedAsset.native,
      network: listedAsset.network,
      method: listedMethod.native,
    },
  };
}

function within(amount: Amount, { min, max }: ListedAsset, places: number): Amount {
  const held = smallest(largest(amount, min), max) ?? amount;
  return raise(held, places);
}

function countryFor(
  random: Random,
  listing: Listing,
  { asset, method }: { asset: ListedAsset; method: ListedMethod },
): CountryCode | undefined {
  const all = method.onlyIn ?? listing.countries ?? new Set(['DE' as CountryCode]);
  const open = [...all].filter(code => listing.countries?.has(code) !== false && !asset.notIn?.has(code));
  return open.length ? pick(random, open) : undefined;
}

for (const registered of registry) {
  const { adapter, standin } = registered;
  const { manifest } = adapter;

  describe(manifest.name, () => {
    let listings: Listing[] = [];
    const catalog = (settings: Settings) =>
      perform(registered, { work: context => adapter.catalog(context), settings });
    const quote = (ask: NativeAsk, settings: Settings = standin.settings) =>
      perform<Price | Decline>(registered, {
        work: context => adapter.quote(ask, context),
        settings,
        decline: answer => adapter.decline?.(answer, ask),
      });

    beforeAll(() => {
      listings = catalog(standin.settings).map(theirs => translate(theirs, manifest, currencies));
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
      const dropped = catalog(standin.settings).flatMap(theirs => {
        const ours = translate(theirs, manifest, currencies);
        return theirs.assets.length === ours.assets.size && theirs.fiats.length === ours.fiats.size
          ? []
          : [
              `${theirs.side}: ${theirs.assets.length - ours.assets.size} assets, ${theirs.fiats.length - ours.fiats.size} fiats`,
            ];
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
      expect(writeJson(catalog(standin.settings))).toBe(writeJson(catalog(standin.settings)));
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

    describe.each(manifest.sides)('an order to %s', side => {
      const orderOf = (): NativeOrder => {
        const random = seeded(17);
        for (;;) {
          const drawn = draw(random, listings);
          const ask = drawn && (correct(drawn, quote(drawn)) ?? drawn);
          if (ask?.side !== side || currencies.networks.get(ask.asset.network)?.tag) continue;
          const { fiat, asset, method, country, amount, native } = ask;
          return {
            ...{ id: 'ord-1', side, fiat, asset, method, country, amount, native, theirs: undefined },
            wallet: { address: '0x95222290dd7278aa3ddd389cc1e1d165cc4bafe5' },
            ...{ email: undefined, access: undefined, hookUrl: 'https://shop.example/hooks/x' },
            returnUrl: 'https://shop.example/back',
            theme: { isDark: true },
            createdAt: NOW,
            clientIp: '192.0.2.1',
          };
        }
      };

      /** The settings with the token, where one is needed. */
      const equip = (settings: Settings, world: World): Settings => {
        const { token } = adapter;
        if (!token) return settings;
        const { secret } = perform(registered, { work: context => token.ask(context), settings, world });
        return { ...settings, [token.name]: secret };
      };

      /** What the provider says when the order goes `moves`, as the adapter reads it. */
      const follow = (moves: string[], order = orderOf()) => {
        const told: OutgoingWebhook[] = [];
        const world = makeWorld(told);
        const settings = equip(standin.settings, world);
        const page = perform(registered, {
          work: context => adapter.checkout(order, context),
          settings,
          world,
        });
        if (page.kind !== 'page') expect.fail(JSON.stringify(page));
        expect(visit(registered, page.url, { world, moves }).status).toBe(200);
        let hinted = false;
        const proven = told.flatMap(webhook => {
          const delivery = deliveryOf(webhook);
          const claims = adapter.webhook?.claims(delivery) ?? [];
          if (!claims.length && adapter.webhook?.hints) {
            hinted = true;
            expect(adapter.webhook.hints(delivery)).toMatchObject([{ reference: order.id }]);
            return [];
          }
          expect(isProven(claims, { now: NOW, secrets: name => [settings[name] ?? ''] })).toBe(true);
          return adapter.webhook?.read(delivery) ?? [];
        });
        const theirs = proven.map(notice => notice.theirs).find(Boolean) ?? page.theirs;
        const access = proven.map(notice => notice.access).find(Boolean);
        const looked =
          perform(registered, {
            work: context => adapter.status?.({ ...order, theirs, access }, context) ?? [],
            settings,
            world,
          }) ?? [];
        // A hint has us look, and what is found then is all that is known.
        return { notices: hinted ? looked : proven, looked };
      };
      const statuses = (notices: Notice[]) =>
        notices.map(({ word }) => manifest.statuses[word] ?? `? ${word}`);

      it('is told of and looked up in words the adapter knows, to its end', () => {
        const { notices, looked } = follow(['complete']);
        for (const { reference } of notices) expect(reference).toBe('ord-1');
        expect(statuses(notices).at(-1)).toBe('completed');
        if (adapter.status) expect(statuses(looked)).toContain('completed');
        // Where it is not said what money an order was made in, a sell tells the coins only.
        const amounts = [...notices, ...looked].map(
          ({ received, paid }) => received ?? (side === 'sell' ? paid : undefined),
        );
        // Whoever can only be looked up may have no names for amounts that we know.
        if (notices !== looked) expect(amounts.some(amount => amount?.gt(0))).toBe(true);
        expect([...statuses(notices), ...statuses(looked)].filter(status => status.startsWith('?'))).toEqual(
          [],
        );
      });

      it.each(['cancel', 'fail', 'expire'])('ends otherwise in words the adapter knows: %s', move => {
        const { notices, looked } = follow([move]);
        const ends = ['failed', 'canceled', 'expired'];
        const has = (status: string) => Object.values<string>(manifest.statuses).includes(status);
        // Who has no word for an order that was left says nothing of it.
        const isTold = move === 'fail' || has('canceled') || has('expired');
        if (isTold) expect(ends).toContain(statuses(notices).at(-1));
        if (adapter.status)
          expect(isTold ? ends : ['new', 'pending', undefined]).toContain(statuses(looked).at(-1));
      });

      it('cannot be made with another secret than the stand-in knows', () => {
        const order = orderOf();
        const needed = manifest.settings.filter(({ secret, required }) => secret && required);
        for (const { name } of needed) {
          const world = makeWorld();
          const outcome = errorOf(() => {
            const settings = equip({ ...standin.settings, [name]: 'wrong' }, world);
            const page = perform(registered, {
              work: context => adapter.checkout(order, context),
              settings,
              world,
            });
            const url = page.kind === 'page' ? page.url : expect.fail(JSON.stringify(page));
            if (visit(registered, url, { world, moves: [] }).status !== 200) throw new Error('refused');
          });
          // The key of webhooks is theirs to use, not ours.
          if (name !== 'webhookKey') expect([name, outcome]).toEqual([name, expect.any(Error)]);
        }
      });
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

function deliveryOf({ search = '', headers, body }: OutgoingWebhook): Delivery {
  return {
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    path: '/hooks/x',
    search,
    raw: Buffer.from(body),
    text: body,
    body: parseJson(body),
  };
}

function sourcePlaces(ask: Ask): number {
  return (ask.side === 'buy' ? ask.fiat : ask.asset).decimals;
}

/** An ask within the limits that a decline states; undefined when it was no such decline. */
function correct(ask: NativeAsk, answer: Price | Decline): NativeAsk | undefined {
  if (!('kind' in answer) || answer.reason !== 'limit' || !answer.limits) return undefined;
  const amount = smallest(largest(ask.amount, answer.limits.min), answer.limits.max) ?? ask.amount;
  return { ...ask, amount };
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

function errorOf(act: () => unknown): unknown {
  try {
    act();
    return undefined;
  } catch (error) {
    return error;
  }
}
