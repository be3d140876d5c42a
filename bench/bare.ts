/** Bare: node:http writing one prepared buffer, with the very bytes and headers of the service. */
import { createServer } from 'node:http';
import { announce } from './child.ts';

const [serviceUrl, key = '', ...paths] = process.argv.slice(2);
/** Node writes these itself. */
const OWN_HEADERS = new Set(['date', 'connection', 'keep-alive']);

const prepared = new Map(
  await Promise.all(
    paths.map(async path => {
      const answer = await fetch(serviceUrl + path, { headers: { authorization: key } });
      const body = Buffer.from(await answer.arrayBuffer());
      const headers = [...answer.headers].filter(([name]) => !OWN_HEADERS.has(name)).flat();
      return [path, { headers, body }] as const;
    }),
  ),
);

announce(
  createServer((request, response) => {
    const kept = prepared.get(request.url ?? '');
    if (!kept) return void response.writeHead(404).end();
    response.writeHead(200, kept.headers).end(kept.body);
  }),
);
