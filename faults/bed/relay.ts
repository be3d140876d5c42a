/** A relay: one address in front of another that may move, be away, or say nothing at all. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface Relay {
  port: number;
  /** Where new connections lead from now on; undefined refuses them. Those that are open are cut. */
  lead(port: number | undefined): void;
  /** Nothing passes any more, in either direction, on old connections and on new ones; nothing is closed either. */
  silence(): void;
  /** Everything passes again, what was held back first. */
  speak(): void;
  close(): Promise<void>;
}

export async function startRelay(to: number): Promise<Relay> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let target: number | undefined = to;
  let isSilent = false;

  function hold([near, far]: readonly [Socket, Socket]): void {
    near.pause();
    far.pause();
  }

  function cut(pair: readonly [Socket, Socket]): void {
    pairs.delete(pair);
    for (const socket of pair) socket.destroy();
  }

  const server = createServer(near => {
    if (target === undefined) return void near.resetAndDestroy();
    const far = connect(target, '127.0.0.1');
    const pair = [near, far] as const;
    pairs.add(pair);
    for (const socket of pair) socket.setNoDelay(true).on('error', () => {});
    near.on('close', () => cut(pair));
    far.on('close', () => cut(pair));
    near.pipe(far);
    far.pipe(near);
    if (isSilent) hold(pair);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    lead(port) {
      target = port;
      for (const pair of pairs) cut(pair);
    },
    silence() {
      isSilent = true;
      for (const pair of pairs) hold(pair);
    },
    speak() {
      isSilent = false;
      for (const [near, far] of pairs) {
        near.resume();
        far.resume();
      }
    },
    async close() {
      for (const pair of pairs) cut(pair);
      server.close();
      await once(server, 'close');
    },
  };
}
