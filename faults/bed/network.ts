/** A network of the run's own beneath a process: names have the addresses they spell, and nobody reaches the outside. */
import dns, { type LookupAddress } from 'node:dns';
import { appendFileSync } from 'node:fs';
import { isIP, type LookupFunction, Socket } from 'node:net';

/** What a process is told about the network that it is in. */
export interface NetworkOrder {
  /** Where connections arrive, whatever port they were made to: those to the public address and all others. */
  port: number;
  /** Ports of this machine that belong to the test bed: nobody asks who connects to them. */
  ownPorts: readonly number[];
  /** Where every other connection is written down: its address, its port and its host. */
  record: string;
}

/** Stands for the public internet; whoever connects to it arrives at the other one, of this machine. */
export const PUBLIC_ADDRESS = '151.101.1.69';
export const PUBLIC_HOST = '127.0.0.77';
/** Where whoever connects to a private network arrives. */
export const PRIVATE_HOST = '127.0.0.1';
const ZONE = '.names.example';

/** A name that has these addresses when it is first looked up, then those, and the last ones ever after. */
export function nameFor(...answers: readonly (readonly string[])[]): string {
  return `n${Buffer.from(JSON.stringify(answers)).toString('hex')}${ZONE}`;
}

/** To be called before anything connects. */
export function enterNetwork(order: NetworkOrder): void {
  const lookUps = new Map<string, number>();

  function resolve(host: string): LookupAddress[] {
    const answers = host.endsWith(ZONE) ? readName(host) : undefined;
    if (!answers) throw Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    const time = lookUps.get(host) ?? 0;
    lookUps.set(host, time + 1);
    const answer = answers[Math.min(time, answers.length - 1)] ?? [];
    return answer.map(address => ({ address, family: isIP(address) }));
  }

  // Whoever looks a name up, by whichever function, is answered here.
  const promises = dns.promises as { lookup: unknown; Resolver: unknown };
  promises.Resolver = class {
    /** Both kinds are asked for in one look-up. */
    #found: LookupAddress[] | undefined;

    async #ask(host: string, family: number): Promise<string[]> {
      this.#found ??= resolve(host);
      return this.#found.filter(one => one.family === family).map(({ address }) => address);
    }

    resolve4 = (host: string) => this.#ask(host, 4);
    resolve6 = (host: string) => this.#ask(host, 6);
  };
  promises.lookup = async (host: string, { all }: { all?: boolean } = {}) => {
    const found = resolve(host);
    return all ? found : found[0];
  };
  const connect = Socket.prototype.connect as (this: Socket, ...given: unknown[]) => Socket;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    const list = Array.isArray(given[0]) ? given[0] : given;
    const [options, ...rest] = list as [Target, ...unknown[]];
    if (typeof options !== 'object' || isOwn(options, order)) return connect.apply(this, given);
    return connect.call(this, lead(options, order), ...rest.filter(one => typeof one === 'function'));
  } as typeof Socket.prototype.connect;
}

interface Target {
  path?: string;
  host?: string;
  port?: number | string;
  lookup?: LookupFunction;
}

function isOwn({ path, host = 'localhost', port }: Target, { ownPorts }: NetworkOrder): boolean {
  return path != null || (host === '127.0.0.1' && ownPorts.includes(Number(port)));
}

/** Writes down where a connection goes, and lets it go no further than this machine. */
function lead(target: Target, order: NetworkOrder): Target {
  const { host = 'localhost', port, lookup } = target;
  const reroute = (address: string): string => {
    appendFileSync(order.record, `${address} ${port} ${host}\n`);
    if (address === PUBLIC_ADDRESS) return PUBLIC_HOST;
    return LOOPBACK.test(address) ? address : PRIVATE_HOST;
  };
  if (isIP(host)) return { ...target, host: reroute(host), port: order.port };
  const known: LookupFunction = (name, options, done) => {
    if (!lookup) return done(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 4);
    lookup(name, { ...options, all: true }, (error, found) => {
      if (error) return done(error, '', 4);
      const led = (found as LookupAddress[]).map(({ address }) => reroute(address));
      const addresses = led.map(address => ({ address, family: isIP(address) }));
      if (options.all) done(null, addresses);
      else done(null, addresses[0]?.address ?? '', addresses[0]?.family);
    });
  };
  return { ...target, port: order.port, lookup: known };
}

const LOOPBACK = /^(127\.|::1$|0\.0\.0\.0$|::$|::ffff:127\.)/;

function readName(host: string): string[][] | undefined {
  try {
    return JSON.parse(Buffer.from(host.slice(1, -ZONE.length), 'hex').toString()) as string[][];
  } catch {
    return undefined;
  }
}
