/** Assets: the scripts, style sheets and texts of our pages, in memory, each with a version that changes with its content. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Fault } from '../domain/fault.ts';
import { isKnownTo } from './front.ts';

export interface Assets {
  /** Name and version, as they stand at the end of an address. */
  nameOf(file: string): string;
  textOf(file: string): string;
  send(request: AssetRequest, reply: FastifyReply): FastifyReply;
  /** The same where the path names no file. */
  send(request: VersionedRequest, reply: FastifyReply, name: string): FastifyReply;
}

type AssetRequest = FastifyRequest<{ Params: { file: string }; Querystring: { v?: string } }>;
type VersionedRequest = FastifyRequest<{ Querystring: { v?: string } }>;

/** How an asset's route is documented, below its tags and summary. */
export const assetSchema = {
  params: Type.Object({ file: Type.String() }),
  querystring: Type.Object({ v: Type.Optional(Type.String()) }),
  response: {
    200: { description: 'A script or style sheet.', content: { 'text/javascript': { schema: {} } } },
    304: { description: 'It has not changed.' },
  },
};

/** Reads those named; `pathOf` gives the path of each. Pages of other sites may load them only where `sharing` says so. */
export async function readAssets(
  names: readonly string[],
  pathOf: (name: string) => string | undefined,
  sharing: 'same-origin' | 'cross-origin' = 'same-origin',
): Promise<Assets> {
  const read = names.map(async name => {
    const path = pathOf(name);
    if (path === undefined) throw new Error(`the file ${name} is missing`);
    const body = await readFile(path);
    const version = createHash('sha256').update(body).digest('base64url').slice(0, 16);
    return [name, { type: typeOf(name), body, version }] as const;
  });
  const files = new Map(await Promise.all(read));
  const compressed = new Map<string, Buffer>();

  /** When somebody first asks: most of what is read at a start is never asked for. */
  function compress({ version, body }: { version: string; body: Buffer }): Buffer {
    const small = compressed.get(version) ?? gzipSync(body, { level: 9 });
    compressed.set(version, small);
    return small;
  }

  return {
    nameOf: name => `${name}?v=${files.get(name)?.version ?? ''}`,
    textOf: name => files.get(name)?.body.toString('utf8') ?? '',
    send(request: VersionedRequest, reply: FastifyReply, name?: string) {
      const file = files.get(name ?? (request as AssetRequest).params.file);
      if (!file) throw new Fault('notFound', 'There is no such file', 'file');
      const isSmall = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
      const etag = `"${file.version}${isSmall ? '-gzip' : ''}"`;
      const isExact = request.query.v === file.version;
      reply
        .header('etag', etag)
        .header('cache-control', isExact ? 'public, max-age=31536000, immutable' : 'public, no-cache')
        .header('x-content-type-options', 'nosniff')
        .header('vary', [reply.getHeader('vary'), 'Accept-Encoding'].filter(Boolean).join(', '))
        .header('cross-origin-resource-policy', sharing);
      if (isKnownTo(request.headers['if-none-match'], etag)) return reply.code(304).send();
      if (isSmall) reply.header('content-encoding', 'gzip');
      return reply.header('content-type', file.type).send(isSmall ? compress(file) : file.body);
    },
  };
}

function typeOf(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const type = { css: 'text/css', json: 'application/json' }[ending] ?? 'text/javascript';
  return `${type}; charset=utf-8`;
}
