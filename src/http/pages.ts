/** Pages and files: the API reference, icons, and what operators watch. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { Fault } from '../domain/fault.ts';
import type { Metrics } from '../metrics.ts';

/** Finds the file of an icon; undefined when there is none of that name. */
export type IconFiles = (kind: string, file: string) => string | undefined;

const ok = (description: string, content?: string) => ({
  200: { description, content: { [content ?? 'application/json']: { schema: {} } } },
});

export interface OperationsOptions {
  metrics: Metrics;
  unready(): Promise<string | undefined>;
}

export function operations({ metrics, unready }: OperationsOptions): FastifyPluginAsyncTypebox {
  const tags = ['Operations'];
  const Health = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) });
  return async app => {
    app.get(
      '/health/live',
      {
        schema: {
          tags,
          summary: 'Whether the process runs',
          response: { 200: { description: 'It does.', ...Health } },
        },
      },
      async () => ({ status: 'live' }),
    );
    app.get(
      '/health/ready',
      {
        schema: {
          tags,
          summary: 'Whether the service can serve',
          response: {
            200: { description: 'It can.', ...Health },
            503: { description: 'It cannot just now; the reason says why.', ...Health },
          },
        },
      },
      async (_request, reply) => {
        const reason = await unready();
        if (reason === undefined) return { status: 'ready' };
        reply.code(503).header('retry-after', '1');
        return { status: 'unready', reason };
      },
    );
    app.get(
      '/metrics',
      { schema: { tags, summary: 'Metrics for Prometheus', response: ok('Text format.', 'text/plain') } },
      async (_request, reply) => {
        reply.header('content-type', metrics.contentType);
        return reply.send(await metrics.render());
      },
    );
  };
}

const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export interface PagesOptions {
  icons: IconFiles;
}

export function pages({ icons }: PagesOptions): FastifyPluginAsyncTypebox {
  const tags = ['Pages'];
  return async app => {
    app.get(
      '/openapi.json',
      { schema: { tags, summary: 'This document', response: ok('OpenAPI 3.1.') } },
      async (_request, reply) => {
        reply.header('content-type', 'application/json; charset=utf-8');
        return reply.send(JSON.stringify(app.swagger()));
      },
    );
    app.get(
      '/',
      {
        schema: { tags, summary: 'Leads to the reference', response: { 302: { description: 'To /docs.' } } },
      },
      async (_request, reply) => reply.redirect('/docs'),
    );
    app.get(
      '/docs',
      { schema: { tags, summary: 'The API reference, to read', response: ok('A page.', 'text/html') } },
      async (_request, reply) => {
        reply
          .header('content-type', 'text/html; charset=utf-8')
          .header('content-security-policy', CONTENT_SECURITY);
        return reply.send(REFERENCE_PAGE);
      },
    );
    app.get(
      '/docs/:file',
      {
        schema: {
          tags,
          summary: 'A part of the reference page',
          params: Type.Object({ file: Type.String() }),
          response: ok('A script or style sheet.', 'text/javascript'),
        },
      },
      async (request, reply) => {
        const { file } = request.params;
        const type = REFERENCE_FILES.get(file);
        if (!type) throw new Fault('notFound', 'There is no such file', 'file');
        reply.header('content-type', type).header('cache-control', 'public, max-age=86400');
        return reply.send(
          file === 'start.js' ? REFERENCE_START : await readFile(join(referenceFolder(), file)),
        );
      },
    );
    app.get(
      '/icons/:kind/:file',
      {
        schema: {
          tags,
          summary: 'An icon',
          params: Type.Object({ kind: Type.String(), file: Type.String() }),
          response: ok('SVG or PNG.', 'image/svg+xml'),
        },
      },
      async (request, reply) => {
        const { kind, file } = request.params;
        const path = icons(kind, file);
        if (!path) throw new Fault('notFound', 'There is no such icon', 'file');
        reply
          .header('content-type', file.endsWith('.png') ? 'image/png' : 'image/svg+xml')
          .header('cache-control', 'public, max-age=86400')
          // An SVG opened by itself must not be able to do anything.
          .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
          .header('x-content-type-options', 'nosniff');
        return reply.send(await readFile(path));
      },
    );
  };
}

const REFERENCE_FILES = new Map([
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['start.js', 'text/javascript; charset=utf-8'],
]);

/** The reference reads the document by URL; nothing on the page comes from another host. */
const REFERENCE_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cloverleaf API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const REFERENCE_START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null });
`;

function referenceFolder(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
}
