/** Routes of the site: the landing page of the sandbox, the documentation, and the reference. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { Fault } from '../../domain/fault.ts';
import { assetSchema, readAssets } from '../assets.ts';
import { failures } from '../current/answers.ts';
import { createFiles } from '../files.ts';
import { wantsPage } from '../security.ts';
import { type Book, readBook } from './book.ts';
import { documentPage, indexPage, nothingPage, referencePage } from './docs-pages.ts';
import { landingPage } from './landing-page.ts';
import { layOut, referenceHeaders, type SitePage, siteHeaders } from './layout.ts';
import { type Switches, switchRoutes } from './switches.ts';

export interface SiteOptions {
  /** The folder that holds the documents and the site's own files. */
  root: string;
  publicUrl(): string;
  /** Present where the service has a sandbox of its own. */
  sandbox: SandboxSite | undefined;
}

export interface SandboxSite {
  /** The demo account's public key; undefined before there is one. */
  demoKey(): string | undefined;
  switches: Switches;
}

const tags = ['Pages'];
const ASSETS = [
  ...['site.css', 'site.js', 'landing.js', 'reference.css', 'reference.js'],
  ...['swagger-ui-bundle.js', 'swagger-ui.css'],
];
/** The widget stands in a frame of its own, and providers' pages in frames inside it. */
const LANDING_SOURCES = { 'connect-src': ["'self'"], 'frame-src': ["'self'"] };

const page = (description: string) => ({
  200: { description, content: { 'text/html': { schema: {} } } },
});

export function site({ root, publicUrl, sandbox }: SiteOptions): FastifyPluginAsyncTypebox {
  const ours = createFiles(join(root, 'web', 'site'));
  const theirs = createFiles(referenceFolder());
  let book: Promise<Book> | undefined;
  /** Documents are read when somebody first wants to. */
  const openBook = () => (book ??= readBook(root, publicUrl()));

  return async app => {
    const assets = await readAssets(ASSETS, name => ours(name) ?? theirs(name));
    const baseOf = () => new URL(publicUrl()).pathname.replace(/(?<!\/)\/+$/, '');
    const assetAt = (name: string) => `${baseOf()}/docs/assets/${assets.nameOf(name)}`;
    const shelf = async () => ({ book: await openBook(), at: `${baseOf()}/docs` });

    function send(reply: FastifyReply, page: SitePage, headers = siteHeaders()): FastifyReply {
      const around = { base: baseOf(), asset: assetAt, hasLanding: sandbox !== undefined };
      return reply.headers(headers).send(layOut(page, around));
    }

    app.get(
      '/',
      {
        schema: {
          tags,
          summary: 'The landing page of the sandbox',
          response: {
            ...page('What this is, the demo key, the widget, and the sandbox’s switches.'),
            302: { description: 'To /docs, where there is no sandbox.' },
          },
        },
      },
      async (_request, reply) => {
        if (!sandbox) return reply.redirect(`${baseOf()}/docs`);
        const { switches } = sandbox;
        const landing = { demoKey: sandbox.demoKey(), switches, publicUrl: publicUrl(), base: baseOf() };
        return send(reply, landingPage(landing), siteHeaders(LANDING_SOURCES));
      },
    );

    app.get(
      '/docs',
      { schema: { tags, summary: 'The documentation', response: page('All there is to read.') } },
      async (_request, reply) => send(reply, indexPage(await shelf())),
    );

    app.get(
      '/docs/api',
      { schema: { tags, summary: 'The API reference, to read and to try', response: page('A page.') } },
      async (_request, reply) => send(reply, referencePage(assetAt), referenceHeaders()),
    );

    app.get(
      '/docs/:page',
      {
        schema: {
          tags,
          summary: 'A page of the documentation',
          params: Type.Object({ page: Type.String() }),
          response: { ...page('A guide, or a part of the reference.'), ...failures },
        },
      },
      async (request, reply) => {
        const { page: name } = request.params;
        const here = await shelf();
        const document = here.book.open(name);
        if (document) return send(reply, documentPage(name, document, here));
        if (!wantsPage(request)) throw new Fault('notFound', 'There is no such page', 'page');
        return send(reply.code(404), nothingPage(here));
      },
    );

    app.get(
      '/docs/assets/:file',
      { schema: { ...assetSchema, tags, summary: 'A part of the site’s pages' } },
      async (request, reply) => assets.send(request, reply),
    );

    await app.register(switchRoutes({ switches: sandbox?.switches, publicUrl }));
  };
}

/** Where the files of the reference page are that are not ours. */
function referenceFolder(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('@fastify/swagger-ui/package.json')), 'static');
}
