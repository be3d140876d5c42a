/** Webhooks in: where providers tell what happened. The body is taken as it is, byte for byte. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Intake } from '../app/intake.ts';
import type { ProviderId } from '../domain/words.ts';
import { failures } from './current/answers.ts';

const BODY_LIMIT = 256 * 1024;

export interface Hooks {
  intake: Intake;
  publicUrl(): string;
}

export function hooks({ intake, publicUrl }: Hooks): FastifyPluginAsyncTypebox {
  return async app => {
    // A type that cannot be read must not cost a webhook: the body is bytes, whatever it is called.
    app.addHook('onRequest', (request, _reply, done) => {
      request.headers['content-type'] = 'application/octet-stream';
      done();
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) =>
      done(null, body),
    );
    app.post(
      '/hooks/:provider',
      {
        bodyLimit: BODY_LIMIT,
        config: { hook: true },
        schema: {
          tags: ['Operations'],
          summary: 'Where a provider sends its webhooks',
          description: 'Proven by the provider’s own signature, and kept before it is acknowledged.',
          params: Type.Object({ provider: Type.String({ pattern: '^[a-z0-9-]{1,32}$' }) }),
          response: {
            200: { description: 'Kept.', ...Type.Object({ received: Type.Boolean() }) },
            ...failures,
          },
        },
      },
      async (request, reply) => {
        const { url = '' } = request.raw;
        const at = url.indexOf('?');
        await intake.receive(request.params.provider as ProviderId, {
          headers: request.headers as Record<string, string>,
          // As the provider was told to spell it: a proxy may take a part of the path away.
          path: `${new URL(publicUrl()).pathname.replace(/\/+$/, '')}/hooks/${request.params.provider}`,
          search: at < 0 ? '' : url.slice(at),
          raw: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        });
        reply.header('cache-control', 'no-store');
        return { received: true };
      },
    );
  };
}
