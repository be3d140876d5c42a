/** Shops: the accounts, and their servers, which take events, check them, and have their own bad days. */
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Chance } from '../faults/bed/chance.ts';
import { listener } from './fleet.ts';
import type { Journal } from './journal.ts';
import { type Request, writeAnswer } from './machine/messages.ts';
import { type Link, listen, nameHost } from './machine/network.ts';
import { after, WORLD, wallOf } from './machine/time.ts';

export interface Account {
  id: string;
  publicKey: string;
  secret: string;
}

export interface Endpoint {
  id: string;
  account: string;
  host: string;
  secret: string;
}

/** What a shop's server may do in the place of taking an event. */
export const SHOP_FAULTS = [
  'error',
  'hang',
  'redirect',
  'gone',
  'reset',
  'huge',
  'rebound',
  'refusing',
] as const;
export type ShopFault = (typeof SHOP_FAULTS)[number];

export interface Event {
  body: string;
  sequence: number;
}

export interface Shops {
  fault(host: string, kind: ShopFault | undefined): void;
  /** What each endpoint has taken, by the event's id. */
  taken: ReadonlyMap<string, ReadonlyMap<string, Event>>;
  /** Endpoints that have said they want nothing more. */
  gone: ReadonlySet<string>;
}

/** Addresses on the public internet, and one that is not. */
function addressOf(host: string): string {
  return `8.8.4.${1 + Number(/\d+/.exec(host)?.[0] ?? 0)}`;
}

const PRIVATE = '10.0.0.99';

export function openShops(
  endpoints: readonly Endpoint[],
  { chance, journal }: { chance: Chance; journal: Journal },
): Shops {
  const faults = new Map<string, ShopFault>();
  const taken = new Map<string, Map<string, Event>>(endpoints.map(({ host }) => [host, new Map()]));
  const gone = new Set<string>();

  function take(endpoint: Endpoint, { headers, body }: Request): void {
    if (!isSigned(headers, body, endpoint.secret))
      journal.violate('events', `an event for ${endpoint.host} is not signed as it should be`);
    const id = headers['webhook-id'] ?? '';
    const sequence = Number(headers['x-cloverleaf-sequence']);
    const seen = taken.get(endpoint.host);
    const before = seen?.get(id);
    if (before && before.body !== body) journal.violate('events', `${id} was told twice, and differently`);
    if (before) journal.reach('an event told again');
    else seen?.set(id, { body, sequence });
  }

  function respond(link: Link, endpoint: Endpoint, request: Request): void {
    const { host } = endpoint;
    const fault = faults.get(host);
    journal.note(`${host} is told ${request.headers['webhook-id']} ${fault ?? ''}`);
    if (fault) journal.reach(`shop ${fault}`);
    const say = (status: number, headers = {}) =>
      after(chance.whole(1, 40), () => link.send(writeAnswer({ status, headers, text: '' })), WORLD);
    if (fault === 'hang') return;
    if (fault === 'reset') return void link.reset();
    if (fault === 'error') return void say(500);
    if (fault === 'redirect') return void say(302, { location: 'http://169.254.169.254/' });
    if (fault === 'gone') {
      gone.add(endpoint.id);
      return void say(410);
    }
    take(endpoint, request);
    if (fault === 'huge') {
      link.send(Buffer.from('HTTP/1.1 200 X\r\ncontent-length: 10485760\r\n\r\n'));
      for (let part = 0; part < 4; part++) link.send(Buffer.alloc(65_536, ' '));
      return;
    }
    say(204);
  }

  for (const endpoint of endpoints) {
    const { host } = endpoint;
    // On every second look the name means something else: what was checked must be what is connected to.
    nameHost(host, asked => {
      const isRebound = faults.get(host) === 'rebound' && asked % 2 === 0;
      if (isRebound) journal.reach('shop rebound');
      return isRebound ? [PRIVATE] : [addressOf(host)];
    });
    listen(`${addressOf(host)}:443`, link => {
      if (faults.get(host) === 'refusing') {
        journal.reach('shop refusing');
        link.reset();
      }
      return listener(request => respond(link, endpoint, request));
    });
  }
  return {
    fault(host, kind) {
      journal.note(`fault ${host} ${kind ?? 'over'}`);
      if (kind) faults.set(host, kind);
      else faults.delete(host);
    },
    taken,
    gone,
  };
}

/** As far as clocks may be off here, all jumps together. */
const FARTHEST_MS = 12 * 3_600_000;

/** By the published standard, and by the older header, which is a plain digest of the body. */
function isSigned(headers: Readonly<Record<string, string>>, body: string, secret: string): boolean {
  const at = Number(headers['webhook-timestamp']);
  if (Math.abs(at * 1000 - wallOf(WORLD)) > FARTHEST_MS) return false;
  const signature = new Webhook(secret).sign(headers['webhook-id'] ?? '', new Date(at * 1000), body);
  const older = createHmac('sha256', secret).update(body).digest('hex');
  return (
    headers['webhook-signature']?.split(' ').includes(signature) === true &&
    headers['x-onramper-webhook-signature'] === older
  );
}
