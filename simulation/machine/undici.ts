/** `undici` as the service sees it: requests over the simulated network, to the addresses that the service has looked up. */
import type { LookupAddress } from 'node:dns';
import { type Answer, readAnswer } from './messages.ts';
import { call, type Link } from './network.ts';

interface PoolOptions {
  connect: {
    lookup(
      host: string,
      options: { all: true },
      done: (error: Error | null, addresses: LookupAddress[]) => void,
    ): void;
  };
}

interface Request {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  signal: AbortSignal;
}

interface Response {
  statusCode: number;
  body: { dump(): Promise<void> };
}

export class Pool {
  #url: URL;
  #options: PoolOptions;
  #links = new Set<Link>();

  constructor(origin: string, options: PoolOptions) {
    this.#url = new URL(origin);
    this.#options = options;
  }

  request({ method, path, headers, body, signal }: Request): Promise<Response> {
    const { hostname, protocol, port, host } = this.#url;
    const written = {
      ...headers,
      host,
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
    };
    const head = Object.entries(written).map(([name, value]) => `${name}: ${value}\r\n`);
    const bytes = Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      this.#options.connect.lookup(hostname, { all: true }, (error, [first]) => {
        if (error || !first) return reject(error ?? new Error('no address'));
        const place = `${first.address}:${port || (protocol === 'https:' ? 443 : 80)}`;
        this.#exchange(place, { bytes, signal, resolve, reject });
      });
    });
  }

  #exchange(
    place: string,
    { bytes, signal, resolve, reject }: { bytes: Buffer; signal: AbortSignal } & Settlers,
  ): void {
    let link: Link | undefined;
    let received = Buffer.alloc(0);
    const drop = () => {
      if (link) this.#links.delete(link);
      link?.reset();
    };
    signal.addEventListener('abort', () => {
      drop();
      reject(signal.reason);
    });
    const look = (answer: Answer | undefined) => {
      if (!answer) return;
      resolve({ statusCode: answer.status, body: { dump: async () => drop() } });
    };
    call(place, {
      opened: opened => {
        link = opened;
        this.#links.add(opened);
        if (signal.aborted) return drop();
        opened.send(bytes);
      },
      hear(heard) {
        received = Buffer.concat([received, heard]);
        look(readAnswer(received, false));
      },
      closed: () => {
        look(readAnswer(received, true));
        reject(Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }));
        drop();
      },
      refused: code => reject(Object.assign(new Error('refused'), { code })),
    });
  }

  async close(): Promise<void> {
    await this.destroy();
  }

  async destroy(): Promise<void> {
    for (const link of this.#links) link.reset();
    this.#links.clear();
  }
}

interface Settlers {
  resolve(response: Response): void;
  reject(error: unknown): void;
}
