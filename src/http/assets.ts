/** Assets: the scripts and style sheets of our pages, in memory, each with a version that changes with its content. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Fault } from '../domain/fault.ts';
import { isKnownTo } from './front.ts';

export interface Assets {
  /** Name and version, as they stand at the end of an address. */
  nameOf(file: string): string;
  send(request: AssetRequest, reply: FastifyReply): FastifyReply;
}

type AssetRequest = FastifyRequest<{ Params: { file: string }; Querystring: { v?: string } }>;

/** How an asset's route is documented, below its tags and summary. */
export const assetSchema = {
  params: Type.Object({ file: Type.String() }),
  querystring: Type.Object({ v: Type.Optional(Type.String()) }),
  response: {
    200: { description: 'A script or style sheet.', content: { 'text/javascript': { schema: {} } } },
    304: { description: 'It has not changed.' },
  },
};

/** Reads those named; `pathOf` gives the path of each. */
export async function readAssets(
  names: readonly string[],
  pathOf: (name: string) => string | undefined,
): Promise<Assets> {
  const read = names.map(async name => {
    const path = pathOf(name);
    if (path === undefined) throw new Error(`the file ${name} is missing`);
    const body = await readFile(path);
    const version = createHash('sha256').update(body).digest('base64url').slice(0, 16);
    const type = `text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`;
    return [name, { type, body, version }] as const;
  });
  const files = new Map(await Promise.all(read));
  return {
    nameOf: name => `${name}?v=${files.get(name)?.version ?? ''}`,
    send(request, reply) {
      const file = files.get(request.params.file);
      if (!file) throw new Fault('notFound', 'There is no such file', 'file');
      const etag = `"${file.version}"`;
      const isExact = request.query.v === file.version;
      reply
        .header('etag', etag)
        .header('cache-control', isExact ? 'public, max-age=31536000, immutable' : 'public, no-cache')
        .header('x-content-type-options', 'nosniff')
        .header('cross-origin-resource-policy', 'same-origin');
      if (isKnownTo(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.header('content-type', file.type).send(file.body);
    },
  };
}
