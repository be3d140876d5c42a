/** Strict bodies: JSON that means one thing only, whoever reads it. */
import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badInput, Fault } from '../domain/fault.ts';
import { readStrictJson, StrictJsonFault } from '../domain/json-strict.ts';
import { together } from '../together.ts';

type Done = (error: Error | null, body?: unknown) => void;

const MOST_BYTES = 64 * 1024;

/** Bodies that came in one turn of the loop are read, and dealt with, one after the other. */
const read = together(({ request, bytes, done }: { request: FastifyRequest; bytes: Buffer; done: Done }) => {
  try {
    checkCharset(request.headers['content-type']);
    // Clients name a type with every request, even where there is nothing to say.
    const isEmpty = bytes.length === 0 && !request.routeOptions.schema?.body;
    done(null, isEmpty ? undefined : readBody(bytes));
  } catch (error) {
    done(error as Error);
  }
}, setImmediate);

/** Has all bodies of a plugin's routes read strictly: JSON in UTF-8, as it stands. */
export function strictBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer', bodyLimit: MOST_BYTES },
    (request: FastifyRequest, bytes: Buffer, done: Done) => read({ request, bytes, done }),
  );
  app.addHook('onRequest', ({ headers }, _reply, done) => {
    checkEncoding(headers['content-encoding']);
    done();
  });
}

function checkCharset(contentType = ''): void {
  const charset = /;\s*charset=([^;]*)/i.exec(contentType)?.[1];
  if (charset !== undefined && !/^"?utf-?8"?\s*$/i.test(charset))
    throw new Fault('unsupportedMedia', 'The body must be in UTF-8', 'Content-Type');
}

/** Reads bytes as strict JSON; faults name the place, and repeat nothing. */
export function readBody(bytes: Buffer): unknown {
  try {
    return readStrictJson(decode(bytes));
  } catch (error) {
    if (error instanceof StrictJsonFault) throw badInput(error.path || 'body', error.message);
    throw error;
  }
}

/** What unfolds while it is read has no size that could be checked. */
export function checkEncoding(contentEncoding = 'identity'): void {
  if (contentEncoding.toLowerCase() !== 'identity')
    throw new Fault('unsupportedMedia', 'The body must not be compressed', 'Content-Encoding');
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badInput('body', 'body is not UTF-8');
  return bytes.toString('utf8');
}
