/** `node:http` as the service sees it: Node's own server, which listens on the simulated network. */
import * as real from 'node:http';
import { Duplex } from 'node:stream';
import { type Ear, type Link, listen, stopListening } from './network.ts';
import { after, currentOwner, type Owner } from './time.ts';

export * from 'node:http';

/** Servers that Node watches over by timers of its own. */
const watched = new Map<Owner, () => void>();
/** Every connection that a server has. */
let connected = new Set<Wire>();

/** A world is over. Node keeps what reads a connection until that has closed, which it never does where the power has gone. */
export function endServers(): void {
  for (const wire of connected) {
    wire.parser?.remove();
    wire.parser?.close();
  }
  connected = new Set();
}

/** Lets go of the servers of somebody who has died. */
export function abandonServers(owner: Owner): void {
  watched.get(owner)?.();
  watched.delete(owner);
}

export function createServer(options: real.ServerOptions, handler?: real.RequestListener): real.Server {
  // Node looks for slow clients by the real time, of which more passes here than it should.
  const server = real.createServer({ ...options, connectionsCheckingInterval: 2 ** 31 - 1 }, handler);
  const owner = currentOwner();
  const wires = new Set<Wire>();
  let place = '';
  const closeForReal = server.close.bind(server);
  watched.set(owner, () => void closeForReal(() => {}));

  function open({ host = '127.0.0.1', port = 0 }: { host?: string; port?: number }, done?: () => void) {
    place = `${host}:${port}`;
    listen(place, link => {
      const wire = new Wire(link);
      wires.add(wire);
      connected.add(wire);
      wire.once('close', () => {
        wires.delete(wire);
        connected.delete(wire);
      });
      server.emit('connection', wire);
      return wire.ear;
    });
    after(0, () => {
      server.emit('listening');
      done?.();
    });
    return server;
  }

  /** It is closed when nobody is connected to it any more, as in life. */
  function close(done?: (error?: Error) => void) {
    stopListening(place, owner);
    abandonServers(owner);
    const end = () => {
      if (wires.size > 0) return;
      done?.();
      server.emit('close');
    };
    for (const wire of wires) wire.once('close', () => after(0, end, owner));
    if (wires.size === 0) after(0, end);
    return server;
  }

  return Object.assign(server, {
    listen: open,
    close,
    address: () => ({ address: place.split(':')[0], family: 'IPv4', port: Number(place.split(':')[1]) }),
  }) as real.Server;
}

/** A connection as Node's server takes it. */
class Wire extends Duplex {
  readonly remoteAddress: string;
  readonly ear: Ear;
  /** Put here by Node's server. */
  declare parser?: { remove(): void; close(): void } | null;
  #link: Link;

  constructor(link: Link) {
    super({ allowHalfOpen: false });
    this.#link = link;
    this.remoteAddress = link.remote;
    this.ear = {
      hear: bytes => void this.push(bytes),
      closed: wasReset => {
        if (wasReset) this.destroy();
        else this.push(null);
      },
    };
    this.on('error', () => {});
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#link.send(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#link.close();
    done();
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    this.#link.reset();
    done(null);
  }

  setTimeout(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }
}

const all = { ...real, createServer };
// biome-ignore lint/style/noDefaultExport: packages ask for the module as a whole
export default all;
