/** Proxies: what stands in front of the service in life, each with one connection to it that all callers share. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { findPort } from '../bed/processes.ts';

/** One that is up. */
export interface Gate {
  name: string;
  port: number;
  close(): Promise<void>;
}

const STARTING_MS = 10_000;

/** Our own, and those of Debian's that this machine has. */
export async function startProxies(folder: string, servicePort: number): Promise<Gate[]> {
  const proxies = [await startOwn(servicePort)];
  for (const { name, program, write } of PROGRAMS) {
    if (!existsSync(program)) continue;
    const port = await findPort();
    const home = join(folder, name);
    mkdirSync(home);
    const file = join(home, 'configuration');
    const { text, words } = write({ port, servicePort, home, file });
    writeFileSync(file, text);
    proxies.push(await startProgram(name, port, [program, ...words]));
  }
  return proxies;
}

/** Small and correct: Node's own reader in front, everything written anew behind. */
async function startOwn(servicePort: number): Promise<Gate> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const server = createServer((asked, answer) => {
    const { connection: _connection, 'transfer-encoding': coding, ...headers } = asked.headers;
    const onward = request({
      ...{ agent, host: '127.0.0.1', port: servicePort, method: asked.method, path: asked.url },
      headers: { ...headers, ...(coding !== undefined && { 'transfer-encoding': 'chunked' }) },
    });
    onward.on('response', response => {
      const { connection: _hop, 'keep-alive': _alive, ...end } = response.headers;
      answer.writeHead(response.statusCode ?? 502, end);
      response.pipe(answer);
    });
    onward.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    asked.on('error', () => onward.destroy());
    // Answered before all of it was there: what is left of it must not meet the next one.
    answer.on('close', () => asked.complete || onward.socket?.destroy());
    asked.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    name: 'a proxy of our own',
    port: (server.address() as { port: number }).port,
    async close() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

interface Place {
  port: number;
  servicePort: number;
  home: string;
  file: string;
}

interface Program {
  name: string;
  program: string;
  write(place: Place): { text: string; words: readonly string[] };
}

const PROGRAMS: readonly Program[] = [
  {
    name: 'nginx',
    program: '/usr/sbin/nginx',
    write: ({ port, servicePort, home, file }) => ({
      text: `daemon off; worker_processes 1; pid ${home}/pid; error_log ${home}/errors; user root;
events { worker_connections 256; }
http {
  access_log off; ignore_invalid_headers off; underscores_in_headers on;
  client_body_temp_path ${home}/body; proxy_temp_path ${home}/proxy; fastcgi_temp_path ${home}/f; uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s;
  upstream service { server 127.0.0.1:${servicePort}; keepalive 1; }
  server {
    listen 127.0.0.1:${port};
    large_client_header_buffers 8 64k;
    location / { proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $http_host; proxy_request_buffering off; proxy_read_timeout 5s; }
  }
}
`,
      words: ['-c', file, '-e', join(home, 'errors')],
    }),
  },
  {
    name: 'HAProxy',
    program: '/usr/sbin/haproxy',
    write: ({ port, servicePort, file }) => ({
      text: `global
  maxconn 256
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
  http-reuse always
  option accept-invalid-http-request
frontend all
  bind 127.0.0.1:${port}
  default_backend service
backend service
  server one 127.0.0.1:${servicePort} maxconn 1 pool-max-conn 1
`,
      words: ['-f', file, '-db'],
    }),
  },
];

async function startProgram(
  name: string,
  port: number,
  [program = '', ...words]: readonly string[],
): Promise<Gate> {
  const child = spawn(program, words, { stdio: 'ignore' });
  const gone = once(child, 'exit');
  const until = Date.now() + STARTING_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${name} does not start`);
    await wait(50);
  }
  return {
    ...{ name, port },
    async close() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
