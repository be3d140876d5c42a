/** `node:net` as the service sees it: sockets of the simulated network. */
import type { LookupAddress } from 'node:dns';
import { EventEmitter } from 'node:events';
import { isIP, isIPv4, type OnReadOpts } from 'node:net';
import { call, type Link } from './network.ts';

export { isIP, isIPv4 };

export interface ConnectOptions {
  host: string;
  port: number;
  onread: OnReadOpts;
  /** Told by whoever has looked the host up already. */
  lookup?(
    host: string,
    options: { all: true },
    done: (error: Error | null, addresses: LookupAddress[]) => void,
  ): void;
}

export function connect({ host, port, onread, lookup }: ConnectOptions): Socket {
  let place = host;
  lookup?.(host, { all: true }, (_error, [first]) => {
    place = first?.address ?? host;
  });
  return new Socket(`${place}:${port}`, onread);
}

/** As much of a socket as whoever sends requests has use for. */
export class Socket extends EventEmitter {
  destroyed = false;
  #link: Link | undefined;

  constructor(place: string, onread: OnReadOpts) {
    super();
    call(place, {
      opened: link => {
        if (this.destroyed) return link.reset();
        this.#link = link;
        this.emit('connect');
      },
      hear: bytes => {
        if (!this.destroyed) onread.callback(bytes.length, bytes);
      },
      closed: wasReset => {
        if (this.destroyed) return;
        if (wasReset) this.emit('error', Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }));
        this.#end();
      },
      refused: code => {
        if (this.destroyed) return;
        this.emit('error', Object.assign(new Error(`connect ${code}`), { code }));
        this.#end();
      },
    });
  }

  write(data: string | Uint8Array, encoding: BufferEncoding = 'utf8'): boolean {
    this.#link?.send(typeof data === 'string' ? Buffer.from(data, encoding) : Buffer.from(data));
    return true;
  }

  destroy(): this {
    if (this.destroyed) return this;
    this.#link?.reset();
    this.#end();
    return this;
  }

  #end(): void {
    this.destroyed = true;
    process.nextTick(() => this.emit('close'));
  }
}
