/** Every adapter's orders at its own stand-in: made, told of and looked up in words we know, and refused without the right secret. */
import { beforeAll, describe, expect, it } from 'vitest';
import { seeded } from '../../test/seeded.ts';
import { correct, draw, questionsTo } from '../../test/standin-asks.ts';
import { asNodeHas, errorOf, makeWorld, NOW, perform, type Settings, visit } from '../../test/standins.ts';
import { parseJson } from '../domain/json.ts';
import type { Listing } from '../domain/listing.ts';
import { isProven } from '../engine/proof.ts';
import { currencies } from '../main.ts';
import type { Delivery, NativeOrder, Notice } from './contract.ts';
import { registry } from './registry.ts';
import type { OutgoingWebhook, World } from './world.ts';

for (const registered of registry) {
  const { adapter, standin } = registered;
  const { manifest } = adapter;

  describe(manifest.name, () => {
    const { quote, listings: list } = questionsTo(registered);
    let listings: Listing[] = [];

    beforeAll(() => {
      listings = list();
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
        const secrets = manifest.settings.filter(({ secret }) => secret);
        // One that may be left out stands in for one that is needed.
        const others = secrets.filter(({ required }) => !required).map(({ name }) => [name, '']);
        for (const { name } of secrets.filter(({ required }) => required)) {
          const world = makeWorld();
          const outcome = errorOf(() => {
            const settings = equip(
              { ...standin.settings, ...Object.fromEntries(others), [name]: 'wrong' },
              world,
            );
            const page = perform(registered, {
              work: context => adapter.checkout(order, context),
              settings,
              world,
            });
            const url = page.kind === 'page' ? page.url : expect.fail(JSON.stringify(page));
            if (visit(registered, url, { world, moves: [] }).status !== 200) throw new Error('refused');
          });
          // The keys of webhooks are theirs to use, not ours.
          if (!['webhookKey', 'signKey'].includes(name))
            expect([name, outcome]).toEqual([name, expect.any(Error)]);
        }
      });
    });
  });
}

function deliveryOf({ search = '', headers, body }: OutgoingWebhook): Delivery {
  return {
    headers: asNodeHas(headers),
    path: '/hooks/x',
    search,
    raw: Buffer.from(body),
    text: body,
    body: parseJson(body),
  };
}
