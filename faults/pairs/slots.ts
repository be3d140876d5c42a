/** A receiver that refuses every event once: it counts how often each was tried, and when. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SlotReceiver {
  host: string;
  url: string;
  /** When each event was tried, by its id and the clock that only goes forward. */
  tries: ReadonlyMap<string, readonly number[]>;
  close(): Promise<void>;
}

export async function startSlotReceiver(): Promise<SlotReceiver> {
  const tries = new Map<string, number[]>();
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    const times = tries.get(id) ?? [];
    times.push(performance.now());
    tries.set(id, times);
    request.resume().on('end', () => response.writeHead(times.length === 1 ? 500 : 204).end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    url: `http://${host}/`,
    tries,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
