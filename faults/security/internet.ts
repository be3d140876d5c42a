/** The internet as the run has it: one public site, and traps where everything private would be reached. */
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from '../../test/certificate.ts';
import { type NetworkOrder, PRIVATE_HOST, PUBLIC_ADDRESS, PUBLIC_HOST } from '../bed/network.ts';
import { findPort } from '../bed/processes.ts';

export interface Internet {
  order: NetworkOrder;
  /** What processes read from their environment, so that the site is who it says. */
  env: Readonly<Record<string, string>>;
  /** Connections that were made, as they were written down before they were, by whether they went to the public site. */
  connections(): { public: string[]; private: string[] };
  /** Connections that arrived where nobody may go, and requests that the site was sent. */
  counts: Readonly<{ trapped: number; asked: number }>;
  close(): Promise<void>;
}

/** The site leads whoever asks for such a path to the address in it. */
export const LEADS = '/lead/';
const LED = new RegExp(`^${LEADS}(\\d{3})/([^/]+)`);

export async function openInternet(folder: string, ownPorts: readonly number[]): Promise<Internet> {
  const port = await findPort();
  const record = join(folder, 'connections');
  const certificate = selfSigned('*.names.example');
  const authority = join(folder, 'authority.pem');
  writeFileSync(authority, certificate.cert);
  const counts = { trapped: 0, asked: 0 };
  const site = createSecureServer(certificate, (request, response) => {
    counts.asked++;
    answer(request, response);
  });
  await listen(site, port, PUBLIC_HOST);
  const traps = [createTrap(), createTrap()];
  function createTrap(): Server {
    return createServer(socket => {
      counts.trapped++;
      socket.on('error', () => {}).destroy();
    });
  }
  await listen(traps[0] as Server, port, PRIVATE_HOST);
  await listen(traps[1] as Server, port, '::1');
  return {
    order: { port, ownPorts, record },
    env: { NODE_EXTRA_CA_CERTS: authority },
    connections() {
      const all = existsSync(record) ? readFileSync(record, 'utf8').split('\n').filter(Boolean) : [];
      const isPublic = (line: string) => line.startsWith(`${PUBLIC_ADDRESS} `);
      return { public: all.filter(isPublic), private: all.filter(line => !isPublic(line)) };
    },
    counts,
    async close() {
      site.closeAllConnections();
      await Promise.all([site, ...traps].map(server => new Promise(resolve => server.close(resolve))));
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, status = '', to = ''] = LED.exec(request.url ?? '') ?? [];
  request.resume();
  if (!status) return void response.writeHead(204).end();
  const location = decodeURIComponent(to);
  response
    .writeHead(Number(status), {
      location,
      refresh: `0; url=${location}`,
      'alt-svc': `h2="${new URL(location).host}"`,
    })
    .end();
}
