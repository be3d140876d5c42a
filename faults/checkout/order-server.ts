/** The server of the provider that makes orders: it counts them by reference, and cuts answers when told to. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Chance } from '../bed/chance.ts';

export interface OrderServer {
  url: string;
  /** How many orders were made under each reference. */
  made: ReadonlyMap<string, number>;
  /** From now on so large a share of orders is made without the answer getting through. */
  cut(share: number): void;
  /** Answers that were cut. */
  cuts(): number;
  close(): Promise<void>;
}

interface Order {
  id: string;
  reference: string;
  url: string;
  at: string;
}

/** The longest an answer takes, so that there is a while in which somebody waits for it. */
const SLOWEST_MS = 20;

export async function startOrderServer(chance: Chance): Promise<OrderServer> {
  const orders: Order[] = [];
  const made = new Map<string, number>();
  let share = 0;
  let cuts = 0;

  function make(reference: string): Order {
    const id = `order-${orders.length + 1}`;
    const order = { id, reference, url: `${address()}/pages/${id}`, at: String(Date.now()) };
    orders.push(order);
    made.set(reference, (made.get(reference) ?? 0) + 1);
    return order;
  }

  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://orders');
    if (request.method === 'POST') {
      const { reference } = JSON.parse(Buffer.concat(await request.toArray()).toString());
      const order = make(reference);
      const isCut = chance.below(1) < share;
      return void setTimeout(() => (isCut ? cutShort(response) : answer(response, order)), delay());
    }
    const reference = searchParams.get('reference');
    if (reference !== null)
      return answer(
        response,
        orders.filter(order => order.reference === reference),
      );
    const order = orders.find(({ id }) => pathname === `/orders/${id}`);
    return order ? answer(response, order) : void response.writeHead(404).end();
  });

  const delay = () => chance.below(SLOWEST_MS);

  /** Before the first byte, or in the middle of the body. */
  function cutShort(response: ServerResponse): void {
    cuts++;
    if (chance.below(1) < 0.5) return void response.destroy();
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 200 });
    response.write('{"id":"order', () => response.destroy());
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: address(),
    made,
    cut(wanted) {
      share = wanted;
    },
    cuts: () => cuts,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
