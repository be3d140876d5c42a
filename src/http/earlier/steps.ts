/** Routes of the steps: a form, a wait, a file, and the way to a page. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest, RouteShorthandOptionsWithHandler } from 'fastify';
import type { Turn } from '../../app/flow-turns.ts';
import type { Visitor } from '../../app/flow-visitors.ts';
import type { Flows } from '../../app/flows.ts';
import { badInput, Fault } from '../../domain/fault.ts';
import { typeOfFile } from '../../domain/file-types.ts';
import { FILE_TYPES, type FileType } from '../../domain/step.ts';
import { hideFromPages } from '../cors.ts';
import { checkEncoding, readBody } from '../strict-body.ts';
import { viewStep } from './step-view.ts';
import { stepSchemas } from './steps-schema.ts';
import { createUploads } from './uploads.ts';

export interface StepRoutes {
  /** Whether there is a provider of this id at all. */
  isProvider(id: string): boolean;
  flows: Pick<Flows, 'leads' | 'answer' | 'wait' | 'expectFile' | 'upload' | 'lead'>;
  legacyUrl(): string;
  /** Whether the page that asks, if one does, may see what is told of the request's account. */
  isReadable(request: FastifyRequest): boolean;
  /** The caller's address. */
  clientIp(request: FastifyRequest): string | undefined;
}

const MOST_BYTES = 64 * 1024;
const LARGEST_FILE = 10 * 1024 * 1024;
/** A `data:` URL takes four characters for three bytes, after a few words. */
const LONGEST_UPLOAD = Math.ceil(LARGEST_FILE / 3) * 4 + 256;
/** Pages may use steps only from the origins that the account has registered, if it has. */
const CONFIG = { origins: true };

export function stepRoutes({
  flows,
  isProvider,
  legacyUrl,
  isReadable,
  clientIp,
}: StepRoutes): FastifyPluginAsyncTypebox {
  const countIn = createUploads();

  const visitorOf = (request: FastifyRequest, reply: FastifyReply): Visitor => ({
    gateway: (request.params as { identifier: string }).identifier,
    // Nobody's when no key was sent: clients may leave it out here, for the token says enough.
    account: request.headers.authorization === undefined ? undefined : request.account,
    clientIp: clientIp(request),
    origin: readOrigin(request.headers.origin),
    // What public clients say of the page that they stand in.
    around: readOrigin(originOf(request.headers['x-widget-referer'])),
    mayActFor(account) {
      // The request is that account's from here on, key or none: who may not act for it reads nothing of what it is told.
      request.account = account;
      const may = isReadable(request);
      if (!may) hideFromPages(reply);
      return may;
    },
  });

  function send(reply: FastifyReply, turn: Turn): FastifyReply {
    return reply.header('cache-control', 'no-store').send(viewStep(turn, legacyUrl()));
  }

  return async app => {
    // The body is bytes, whatever it is called: clients name no type, or the wrong one.
    app.addHook('onRequest', (request, _reply, done) => {
      const { identifier } = request.params as { identifier: string };
      if (!isProvider(identifier)) throw new Fault('notFound', 'There is no such step');
      checkEncoding(request.headers['content-encoding']);
      if (request.headers['content-type'] !== undefined)
        request.headers['content-type'] = 'application/octet-stream';
      done();
    });
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    // What is documented is for readers; each step says itself what it asks.
    app.setValidatorCompiler(() => () => true);

    app.post(
      '/transaction/:identifier/form/:token',
      { schema: stepSchemas.form, config: CONFIG, bodyLimit: MOST_BYTES },
      async (request, reply) => {
        const { token } = request.params as { token: string };
        const visitor = visitorOf(request, reply);
        return send(reply, await flows.answer(token, readBody(bytesOf(request.body)), visitor));
      },
    );

    app.post(
      '/transaction/:identifier/wait/:token',
      { schema: stepSchemas.wait, config: CONFIG, bodyLimit: MOST_BYTES },
      async (request, reply) => {
        const { token } = request.params as { token: string };
        return send(reply, await flows.wait(token, visitorOf(request, reply)));
      },
    );

    const upload: RouteShorthandOptionsWithHandler = {
      schema: stepSchemas.upload,
      config: CONFIG,
      bodyLimit: LONGEST_UPLOAD,
      // Before a byte of it is read: nobody fills our memory without a link of ours, nor where no file is due.
      onRequest: async (request, reply) => {
        const { token } = request.params as { token: string };
        const order = flows.leads(token);
        if (order === undefined) throw new Fault('notFound', 'There is no such step');
        countIn(order, reply.raw);
        await flows.expectFile(token, visitorOf(request, reply));
      },
      handler: async (request, reply) => {
        const { token } = request.params as { token: string };
        const visitor = visitorOf(request, reply);
        return send(reply, await flows.upload(token, readFile(bytesOf(request.body)), visitor));
      },
    };
    app.post('/transaction/:identifier/file/:token', upload);
    app.put('/transaction/:identifier/file/:token', upload);

    app.get('/transaction/:identifier/pay/:token', { schema: stepSchemas.page }, async (request, reply) => {
      const { token } = request.params as { token: string };
      const url = await flows.lead(token);
      reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer');
      return reply.redirect(inHeader(url), 303);
    });
  };
}

/** An address as a header can hold it. One that it holds is left as it is, to the letter: it may be signed. */
function inHeader(url: string): string {
  return /^[!-~]*$/.test(url) ? url : new URL(url).href;
}

function bytesOf(body: unknown): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

const ORIGIN = /^https?:\/\/[^\s/?#@\\]{1,255}$/;

function originOf(url: string | string[] | undefined): string | undefined {
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : undefined;
}

/** A page's origin as browsers send it; one that is hidden is none. */
function readOrigin(header: string | undefined): string | undefined {
  return header !== undefined && ORIGIN.test(header) ? header : undefined;
}

/** A file by what it holds, whatever it was called. */
function readFile(body: Buffer): { type: FileType; bytes: Uint8Array } {
  const bytes = readDataUrl(body) ?? body;
  if (bytes.length > LARGEST_FILE) throw new Fault('tooLarge', 'The file is larger than 10 MiB');
  const type = typeOfFile(bytes);
  if (!type) throw new Fault('unsupportedMedia', `The file must be one of: ${FILE_TYPES.join(', ')}`);
  return { type, bytes };
}

const DATA_URL = /^"?data:[\w.+/-]*(?:;[\w.+=-]+)*;base64,/;
const LONGEST_START = 128;

/** The bytes that a `data:` URL spells, as text or as JSON; undefined when the body is none. */
function readDataUrl(body: Buffer): Buffer | undefined {
  const [start] = DATA_URL.exec(body.toString('latin1', 0, LONGEST_START)) ?? [];
  if (start === undefined) return undefined;
  // Cut by hand: a pattern would look for the end from every blank of ten million.
  const written = body.toString('latin1', start.length).trimEnd();
  const spelled = written.endsWith('"') ? written.slice(0, -1) : written;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(spelled)) throw badInput('body', 'body is not a data URL in base64');
  return Buffer.from(spelled, 'base64');
}
