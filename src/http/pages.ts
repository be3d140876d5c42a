/** What is served beside the surfaces: the OpenAPI document, icons, and what operators watch. */
import { readFile } from 'node:fs/promises';
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
  let looking: Promise<string | undefined> | undefined;

  /** Nobody's questions are limited here, so that all who ask at once are told what one look has found. */
  function look(): Promise<string | undefined> {
    looking ??= unready().finally(() => {
      looking = undefined;
    });
    return looking;
  }

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
        const reason = await look();
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
        return reply.send(metrics.render());
      },
    );
  };
}

export interface PagesOptions {
  icons: IconFiles;
  /** Known once we listen. */
  publicUrl(): string;
}

export function pages({ icons, publicUrl }: PagesOptions): FastifyPluginAsyncTypebox {
  const tags = ['Pages'];
  /** Long, and the same for everybody. */
  let document: string | undefined;
  return async app => {
    app.get(
      '/openapi.json',
      { schema: { tags, summary: 'This document', response: ok('OpenAPI 3.1.') } },
      async (_request, reply) => {
        reply.header('content-type', 'application/json; charset=utf-8');
        document ??= JSON.stringify({ ...app.swagger(), servers: [{ url: new URL(publicUrl()).pathname }] });
        return reply.send(document);
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
