/** The client as a script: what a page of anybody's imports to speak to this service. */
import { existsSync } from 'node:fs';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Fault } from '../domain/fault.ts';
import { assetSchema, readAssets } from './assets.ts';

export interface ClientScript {
  /** Path of the bundle. */
  clientFile: string;
}

const NAME = 'client.js';

export function clientScript({ clientFile }: ClientScript): FastifyPluginAsyncTypebox {
  return async app => {
    // Where nothing was built, as in a test of one file, everything else is served all the same.
    const assets = existsSync(clientFile)
      ? await readAssets([NAME], () => clientFile, 'cross-origin')
      : undefined;
    const { querystring, response } = assetSchema;
    const summary = 'The client, for pages: import { createClient } from here';
    app.get(
      '/client.js',
      { schema: { tags: ['Pages'], summary, querystring, response } },
      async (request, reply) => {
        if (!assets) throw new Fault('notFound', 'The client is not built: run npm run build', 'path');
        return assets.send(request, reply, NAME);
      },
    );
  };
}
