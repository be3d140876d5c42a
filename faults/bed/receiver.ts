/** The receiver: an account's own server, which checks and remembers every event it is told. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Chance } from './chance.ts';

/** An event as it came. */
export interface Delivered {
  headers: Readonly<Record<string, string>>;
  body: string;
  secret: string;
}

export interface Receiver {
  /** As it is written in WEBHOOK_ALLOWED_HOSTS. */
  host: string;
  urlOf(endpoint: number): string;
  /** What its events are signed with. */
  learn(endpoint: number, secret: string): void;
  /** The first delivery of each id. */
  delivered: ReadonlyMap<string, Delivered>;
  /** Deliveries, repetitions among them; those with a body other than the first one's; those not signed by us. */
  counts: Readonly<{ deliveries: number; altered: number; unsigned: number }>;
  close(): Promise<void>;
}

/** The longest it thinks before it answers, so that there is a while in which a sender may die. */
const SLOWEST_MS = 15;

export async function startReceiver(chance: Chance): Promise<Receiver> {
  const secrets = new Map<string, string>();
  const delivered = new Map<string, Delivered>();
  const counts = { deliveries: 0, altered: 0, unsigned: 0 };

  async function take(request: IncomingMessage): Promise<void> {
    const body = Buffer.concat(await request.toArray()).toString();
    const secret = secrets.get(request.url ?? '') ?? '';
    const headers = headersOf(request.headers);
    counts.deliveries++;
    if (!isSigned(headers, body, secret)) counts.unsigned++;
    const id = headers['webhook-id'] ?? '';
    const first = delivered.get(id);
    if (!first) delivered.set(id, { headers, body, secret });
    else if (first.body !== body) counts.altered++;
  }

  const server = createServer((request, response) => {
    take(request).then(
      () => setTimeout(() => response.writeHead(204).end(), chance.below(SLOWEST_MS)),
      () => response.destroy(),
    );
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    urlOf: endpoint => `http://${host}/events/${endpoint}`,
    learn: (endpoint, secret) => void secrets.set(`/events/${endpoint}`, secret),
    delivered,
    counts,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

/** By the published library, and by the older header, which is a plain digest of the body. */
function isSigned(headers: Delivered['headers'], body: string, secret: string): boolean {
  try {
    new Webhook(secret).verify(body, { ...headers });
  } catch {
    return false;
  }
  const older = createHmac('sha256', secret).update(body).digest('hex');
  return headers['x-onramper-webhook-signature'] === older;
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
