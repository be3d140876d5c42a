/** Parity: what every provider's folder must hold, and what its manifest must keep to. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decimal } from '../domain/money.ts';
import { plainWord, type Side } from '../domain/words.ts';
import { currencies } from '../main.ts';
import type { Adapter, Permission } from './contract.ts';
import { registry } from './registry.ts';

interface Case {
  do: string;
  input?: { side?: string; amount?: string; amountOf?: string };
  exchanges?: { request: { host: string }; answer: { status: number; text?: string; body?: unknown } }[];
  claims?: { secret: string }[];
  hints?: unknown[];
  unproven?: unknown[];
  output?: unknown;
  declined?: { reason: string; limits?: { min?: string; max?: string } };
  fault?: string;
}

/** Everything a page may be allowed; the type makes it complete. */
const PERMISSIONS: Record<Permission, true> = {
  accelerometer: true,
  autoplay: true,
  camera: true,
  'clipboard-write': true,
  'encrypted-media': true,
  fullscreen: true,
  geolocation: true,
  gyroscope: true,
  microphone: true,
  payment: true,
  'publickey-credentials-get': true,
};

type Kinds = Record<string, (one: Case) => boolean>;

const KINDS: Kinds = {
  'a priced buy': one => isMade(one, 'quote', 'buy'),
  'a priced sell': one => isMade(one, 'quote', 'sell'),
  'a catalog': one => one.do === 'catalog' && one.output !== undefined,
  'an amount below the minimum': ({ input, declined }) =>
    declined?.reason === 'limit' && isBeyond(input?.amount, declined.limits?.min, 'below'),
  'an amount above the maximum': ({ input, declined }) =>
    declined?.reason === 'limit' && isBeyond(input?.amount, declined.limits?.max, 'above'),
  'something unsupported': ({ declined }) => ['pair', 'country', 'method'].includes(declined?.reason ?? ''),
  'a page instead of JSON': ({ exchanges, fault }) =>
    fault !== undefined && !!exchanges?.some(({ answer }) => answer.text !== undefined),
  'JSON of another shape': one => one.do === 'quote' && isOddlyShaped(one),
  'refused credentials': ({ exchanges }) => !!exchanges?.some(({ answer }) => answer.status === 401),
  'too many requests': ({ exchanges }) => !!exchanges?.some(({ answer }) => answer.status === 429),
  'a page for a buy': one => isMade(one, 'checkout', 'buy'),
  'a page for a sell': one => isMade(one, 'checkout', 'sell'),
};

/** What an adapter that can do one of these must show of it. */
const PARTS: Record<'status' | 'webhook' | 'token', Kinds> = {
  status: {
    'a look-up of a buy': one => isMade(one, 'status', 'buy') && notices(one).length > 0,
    'a look-up of a sell': one => isMade(one, 'status', 'sell') && notices(one).length > 0,
    'a look-up that finds nothing': one =>
      one.do === 'status' && Array.isArray(one.output) && !one.output.length,
    'a look-up that finds JSON of another shape': one => one.do === 'status' && isOddlyShaped(one),
  },
  webhook: {
    'a webhook about an order': one => isClaimed(one) && notices(one).length > 0,
    'a webhook about something else': one =>
      isClaimed(one) && Array.isArray(one.output) && !one.output.length,
    'a webhook that claims nothing': one => one.do === 'webhook' && !isClaimed(one),
    'a webhook of garbage': one => isClaimed(one) && one.fault === 'BadAnswer',
  },
  token: {
    'a token': one => one.do === 'token' && one.output !== undefined,
    'no token': one => one.do === 'token' && one.fault !== undefined,
  },
};

/** What an adapter must show whose webhooks may come unproven. */
const HINTS: Kinds = {
  'a webhook that hints at an order': one => one.do === 'webhook' && !!one.hints?.length,
  'a webhook that hints at nothing': one => one.do === 'webhook' && !isClaimed(one) && !one.hints?.length,
};

function isMade({ do: what, input, output }: Case, wanted: string, side: string): boolean {
  return what === wanted && input?.side === side && output !== undefined;
}

function isOddlyShaped({ exchanges, fault }: Case): boolean {
  const odd = exchanges?.some(({ answer }) => answer.body !== undefined && answer.status < 400);
  return fault === 'BadAnswer' && odd === true;
}

function isClaimed({ do: what, claims }: Case): boolean {
  return what === 'webhook' && claims !== undefined && claims.length > 0;
}

/** What a case says of orders. */
function notices(one: Case): { word: string }[] {
  const isAbout = one.do === 'status' || one.do === 'webhook';
  const said = one.unproven ?? one.output;
  return isAbout && Array.isArray(said) ? (said as { word: string }[]) : [];
}

/** What there is only of a side that the provider trades on. */
const OF_SIDES: Readonly<Record<string, Side>> = {
  'a priced buy': 'buy',
  'a priced sell': 'sell',
  'a page for a buy': 'buy',
  'a page for a sell': 'sell',
  'a look-up of a buy': 'buy',
  'a look-up of a sell': 'sell',
};

function kindsOf(adapter: Adapter, cases: readonly Case[]): [string, Kinds[string]][] {
  const { sides } = adapter.manifest;
  const parts = (['status', 'token'] as const).filter(part => adapter[part]).map(part => PARTS[part]);
  if (adapter.webhook?.hints) parts.push(HINTS);
  // Webhooks that nothing can prove are hints and no more.
  if (adapter.webhook && (!adapter.webhook.hints || cases.some(isClaimed))) parts.push(PARTS.webhook);
  return [KINDS, ...parts]
    .flatMap(kinds => Object.entries(kinds))
    .filter(([kind]) => !OF_SIDES[kind] || sides.includes(OF_SIDES[kind]));
}

function isBeyond(amount: string | undefined, limit: string | undefined, where: 'below' | 'above'): boolean {
  if (!amount || !limit) return false;
  return where === 'below' ? decimal(amount).lt(decimal(limit)) : decimal(amount).gt(decimal(limit));
}

function readCases(folder: string): Case[] {
  return ['exemplary', 'supplemental'].flatMap(kind =>
    readdirSync(join(folder, kind)).map(
      file => JSON.parse(readFileSync(join(folder, kind, file), 'utf8')) as Case,
    ),
  );
}

describe('the registry', () => {
  it('names every folder once, and every folder is in it', () => {
    const folders = readdirSync(import.meta.dirname, { withFileTypes: true })
      .filter(entry => entry.isDirectory())
      .map(({ name }) => name);
    const ids = registry.map(({ adapter }) => adapter.manifest.id as string);
    expect([...ids].sort()).toEqual(folders.sort());
  });
});

for (const { adapter, standin } of registry) {
  const { manifest } = adapter;
  const folder = join(import.meta.dirname, manifest.id);

  describe(`the folder of ${manifest.name}`, () => {
    it.each([
      'adapter.ts',
      'wire.ts',
      'standin.ts',
      'icon.svg',
      'icon-32.png',
      'icon-160.png',
      'exemplary',
      'supplemental',
    ])('has %s', file => {
      expect(existsSync(join(folder, file))).toBe(true);
    });

    it('has a small icon that runs nothing and loads nothing', () => {
      const svg = readFileSync(join(folder, 'icon.svg'), 'utf8');
      expect(svg).toMatch(/^<svg [^>]*viewBox=/);
      expect(svg).not.toMatch(/<script|\bon\w+=|href=|url\(\s*['"]?http|<foreignObject/i);
      expect(svg.length).toBeLessThan(20_000);
    });

    it.each([32, 160])('has a picture of %i pixels', size => {
      const png = readFileSync(join(folder, `icon-${size}.png`));
      expect(png.subarray(1, 4).toString()).toBe('PNG');
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([size, size]);
    });

    it('has eight cases and more', () => {
      expect(readCases(folder).length).toBeGreaterThanOrEqual(8);
    });

    it.each(kindsOf(adapter, readCases(folder)))('has a case of %s', (_kind, isOne) => {
      expect(readCases(folder).some(isOne)).toBe(true);
    });
  });

  describe(`the manifest of ${manifest.name}`, () => {
    it('has a plain id and a name', () => {
      expect(plainWord(manifest.id)).toBe(manifest.id);
      expect(manifest.name.trim()).toBe(manifest.name);
      expect(manifest.name).not.toBe('');
    });

    it('maps its words for methods and networks to ours', () => {
      const methods = Object.values(manifest.methods).flat();
      expect(methods.filter(id => !currencies.methods.has(id))).toEqual([]);
      expect(Object.values(manifest.networks).filter(id => !currencies.networks.has(id))).toEqual([]);
      expect(Math.min(methods.length, Object.keys(manifest.networks).length)).toBeGreaterThan(3);
    });

    it('has hosts that are https addresses and nothing more', () => {
      for (const { live, test } of Object.values(manifest.hosts)) {
        for (const base of [live, test]) {
          const url = new URL(base);
          expect([url.protocol, url.username, url.search, url.hash, url.port]).toEqual([
            'https:',
            '',
            '',
            '',
            '',
          ]);
          expect(base.endsWith('/')).toBe(false);
        }
      }
    });

    it('never sends a test to a live host, unless the key decides', () => {
      const shared = Object.entries(manifest.hosts)
        .filter(([, { live, test }]) => live === test)
        .map(([name]) => name);
      expect(shared.sort()).toEqual([...(manifest.keyDecides ?? [])].sort());
    });

    it('names no host that is not used', () => {
      const used = new Set([
        ...readCases(folder).flatMap(({ exchanges = [] }) => exchanges.map(({ request }) => request.host)),
        ...standin.routes.map(({ host }) => host),
        ...Object.values(manifest.checkout.pages),
      ]);
      expect(Object.keys(manifest.hosts).filter(name => !used.has(name))).toEqual([]);
      expect([...used].filter(name => !(name in manifest.hosts))).toEqual([]);
    });

    it('trades on at least one side, and prices payouts only on sides it trades', () => {
      expect(manifest.sides.length).toBeGreaterThan(0);
      expect(new Set(manifest.sides).size).toBe(manifest.sides.length);
      expect(manifest.pricesDestination.filter(side => !manifest.sides.includes(side))).toEqual([]);
    });

    it('asks an operator for settings that can be named, each once, at least one of them required', () => {
      const names = manifest.settings.map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      // Placeholders of secrets carry the name; letters only keeps them unmistakable.
      expect(names.filter(name => !/^[a-z][A-Za-z]*$/.test(name))).toEqual([]);
      expect(manifest.settings.filter(({ label }) => !label.trim())).toEqual([]);
      expect(manifest.settings.filter(({ secret, fallback }) => secret && fallback)).toEqual([]);
      expect(manifest.settings.some(({ required }) => required)).toBe(true);
    });

    it('asks for what proves its webhooks, where orders cannot be asked about', () => {
      const given = manifest.settings.filter(({ required, fallback }) => required || fallback);
      const claimed = readCases(folder).flatMap(({ claims = [] }) => (claims.length > 0 ? [claims] : []));
      // Beside what is asked for, the key of a second webhook may be optional.
      const unproven = claimed.filter(
        claims => !claims.some(({ secret }) => given.some(({ name }) => name === secret)),
      );
      if (!adapter.status) expect([claimed.length > 0, unproven]).toEqual([true, []]);
    });

    it('asks no less of a person the higher the amount, and its last tier covers everything', () => {
      expect(manifest.kyc.length).toBeGreaterThan(0);
      expect(manifest.kyc.findIndex(({ upTo }) => !upTo)).toBe(manifest.kyc.length - 1);
      const asked = manifest.kyc.map(({ asks }) => asks.length);
      expect(asked).toEqual([...asked].sort((a, b) => a - b));
      for (const code of manifest.kyc.flatMap(({ upTo }) => Object.keys(upTo ?? {}))) {
        expect(currencies.findFiat(code)?.code).toBe(code);
      }
    });

    it('opens its pages where it says, and nowhere else', () => {
      const { pages } = manifest.checkout;
      for (const side of manifest.sides) {
        const opened = readCases(folder)
          .filter(one => isMade(one, 'checkout', side))
          .map(({ output }) => new URL((output as { url: string }).url).origin);
        expect(new Set(opened)).toEqual(new Set([`https://${pages[side]}.example`]));
        expect(manifest.hosts[pages[side]]).toBeDefined();
      }
    });

    it('asks for each permission once, for those there are, and for none where nothing is framed', () => {
      const { opens, permissions } = manifest.checkout;
      expect(permissions.filter(name => !Object.hasOwn(PERMISSIONS, name))).toEqual([]);
      expect(new Set(permissions).size).toBe(permissions.length);
      if (opens === 'redirect') expect(permissions).toEqual([]);
    });

    it('can tell how an order began, that it is done, and that nothing came of it', () => {
      const ours = new Set(Object.values(manifest.statuses));
      expect(ours.has('new') || ours.has('pending')).toBe(true);
      expect(ours.has('completed') && (ours.has('failed') || ours.has('canceled'))).toBe(true);
    });

    it('has a case for each of its words for where an order stands', () => {
      const said = new Set(readCases(folder).flatMap(one => notices(one).map(({ word }) => word)));
      expect(Object.keys(manifest.statuses).filter(word => !said.has(word))).toEqual([]);
    });

    it('learns what becomes of orders, and proves it by settings there are', () => {
      expect(adapter.webhook ?? adapter.status).toBeDefined();
      // A public key is no secret.
      const known = new Set([...manifest.settings.map(({ name }) => name), adapter.token?.name]);
      const claims = readCases(folder).flatMap(one => one.claims ?? []);
      expect(claims.filter(({ secret }) => !known.has(secret))).toEqual([]);
    });

    it('makes nothing but a signed text where it says that it makes a link', () => {
      const made = readCases(folder).filter(one => one.do === 'checkout' && one.output !== undefined);
      const asked = made.filter(({ exchanges }) => exchanges?.length);
      // Whoever comes back may be led to the page that was made before.
      expect(asked.length > 0).toBe(manifest.checkout.makes !== 'link');
    });

    it('has limits', () => {
      const { perSecond, burst, connections } = manifest.limits;
      expect(Math.min(perSecond, connections)).toBeGreaterThan(0);
      expect(burst).toBeGreaterThanOrEqual(1);
      expect(connections).toBeLessThanOrEqual(64);
    });
  });

  describe(`the stand-in of ${manifest.name}`, () => {
    it('has a value for every setting that is required, and for none that is not there', () => {
      const names = manifest.settings.map(({ name }) => name);
      const required = manifest.settings.filter(setting => setting.required).map(({ name }) => name);
      expect(required.filter(name => !standin.settings[name])).toEqual([]);
      expect(Object.keys(standin.settings).filter(name => !names.includes(name))).toEqual([]);
    });

    it('has no value that could be real', () => {
      expect(Object.values(standin.settings).filter(value => /live|prod/i.test(value))).toEqual([]);
    });

    it('has each route once', () => {
      const routes = standin.routes.map(
        ({ method, host, path }) => `${method} ${host} ${path.replace(/:\w+/g, ':')}`,
      );
      expect(new Set(routes).size).toBe(routes.length);
      expect(standin.routes.filter(({ path }) => !/^\/$|^\/.*[^/]$/.test(path))).toEqual([]);
    });
  });
}
