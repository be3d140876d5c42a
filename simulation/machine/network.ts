/** The simulated network: names, addresses, and links that carry bytes in order, late, or not at all. */
import { anyChance } from './chance.ts';
import { after, currentOwner, type Owner, pause, ticks } from './time.ts';

/** One side of a link. */
export interface Link {
  /** The address of the other side. */
  remote: string;
  send(bytes: Buffer): void;
  /** Ends it in order: what was sent arrives first. */
  close(): void;
  /** Ends it at once. */
  reset(): void;
}

/** What one side of a link does when something comes. */
export interface Ear {
  hear(bytes: Buffer): void;
  /** The other side has ended it. */
  closed(wasReset: boolean): void;
}

export interface Caller extends Ear {
  opened(link: Link): void;
  refused(code: string): void;
}

interface Listener {
  owner: Owner;
  accept(link: Link): Ear;
}

interface Side {
  owner: Owner;
  ear: Ear | undefined;
  /** When the last thing on its way arrives: nothing overtakes. */
  arrivesAt: number;
  isOver: boolean;
}

const FASTEST_MS = 0.2;

let listeners = new Map<string, Listener>();
let names = new Map<string, (asked: number) => readonly string[]>();
let asked = new Map<string, number>();
const USUAL_MS = 2;
/** How long anything on its way may take, since when; the last one holds. */
let paces: { since: number; slowestMs: number }[] = [];
let links = new Set<{ sides: readonly [Side, Side]; cut(): void }>();
/** Every address that anybody connected to. */
let reached = new Set<string>();

export function beginNetwork(): void {
  listeners = new Map();
  names = new Map();
  asked = new Map();
  links = new Set();
  reached = new Set();
  paces = [{ since: 0, slowestMs: USUAL_MS }];
}

/** What a name means; the answer may change with the number of times it was asked for. */
export function nameHost(host: string, addresses: (asked: number) => readonly string[]): void {
  names.set(host, addresses);
}

export async function resolveName(host: string): Promise<readonly string[]> {
  await pause(delay());
  const found = names.get(host);
  if (!found) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const times = (asked.get(host) ?? 0) + 1;
  asked.set(host, times);
  return found(times);
}

export function listen(place: string, accept: (link: Link) => Ear): void {
  listeners.set(place, { owner: currentOwner(), accept });
}

export function stopListening(place: string, owner: Owner): void {
  if (listeners.get(place)?.owner === owner) listeners.delete(place);
}

export function addressesReached(): ReadonlySet<string> {
  return reached;
}

/** How many links somebody has open. */
export function countLinks(owner: Owner): number {
  return [...links].filter(({ sides }) => sides.some(side => side.owner === owner && !side.isOver)).length;
}

/** Everything that somebody who has died was connected to is told so. */
export function cutLinks(owner: Owner): void {
  for (const link of links) if (link.sides.some(side => side.owner === owner)) link.cut();
}

/** Calls whoever listens at a place, `host:port`. */
export function call(place: string, caller: Caller): void {
  const client: Side = { owner: currentOwner(), ear: caller, arrivesAt: 0, isOver: false };
  if (!client.owner.isAlive) return;
  reached.add(place);
  after(
    delay(),
    () => {
      const listener = listeners.get(place);
      if (!listener?.owner.isAlive) {
        after(delay(), () => caller.refused('ECONNREFUSED'), client.owner);
        return;
      }
      const server: Side = { owner: listener.owner, ear: undefined, arrivesAt: 0, isOver: false };
      const pair = tie(client, server, place);
      after(
        0,
        () => {
          server.ear = listener.accept(pair.server);
        },
        server.owner,
      );
      after(delay(), () => caller.opened(pair.client), client.owner);
    },
    SWITCH,
  );
}

/** Whoever carries bytes from one to the other. */
const SWITCH: Owner = { name: 'network', isAlive: true, skewMs: 0 };

function delay(): number {
  return FASTEST_MS + anyChance() * (paces.at(-1)?.slowestMs ?? USUAL_MS);
}

/** How long anything on its way may take, from now on. */
export function slowDown(slowestMs = USUAL_MS): void {
  paces.push({ since: ticks(), slowestMs });
}

/** How long anything may have taken that was on its way in the last `ms`. */
export function slowestIn(ms: number): number {
  const began = ticks() - ms;
  const heldThen = paces.filter((_, at) => (paces[at + 1]?.since ?? Infinity) >= began);
  return FASTEST_MS + Math.max(...heldThen.map(({ slowestMs }) => slowestMs));
}

function tie(client: Side, server: Side, place: string): { client: Link; server: Link } {
  const link = {
    sides: [client, server] as const,
    cut() {
      for (const side of link.sides) end(side, true);
      links.delete(link);
    },
  };
  links.add(link);

  function carry(to: Side, act: () => void): void {
    to.arrivesAt = Math.max(to.arrivesAt, ticks() + delay());
    after(to.arrivesAt - ticks(), act, to.owner);
  }

  function end(side: Side, wasReset: boolean): void {
    if (side.isOver) return;
    side.isOver = true;
    after(0, () => side.ear?.closed(wasReset), side.owner);
  }

  function sideLink(from: Side, to: Side, remote: string): Link {
    return {
      remote,
      send(bytes) {
        if (from.isOver || !from.owner.isAlive) return;
        carry(to, () => {
          if (!to.isOver) to.ear?.hear(bytes);
        });
      },
      close() {
        if (from.isOver) return;
        from.isOver = true;
        carry(to, () => {
          end(to, false);
          links.delete(link);
        });
      },
      reset() {
        if (from.isOver) return;
        from.isOver = true;
        after(delay(), () => end(to, true), SWITCH);
        links.delete(link);
      },
    };
  }
  return { client: sideLink(client, server, place), server: sideLink(server, client, '203.0.113.7') };
}
