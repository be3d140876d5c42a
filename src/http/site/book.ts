/** The book: the documents that are served as pages, in the order in which they are read. */
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Rendered, renderMarkdown } from './markdown.ts';

/** A document, or the reference, which is made of the OpenAPI document. */
export interface Page {
  /** The last part of its address. */
  name: string;
  title: string;
  /** One sentence. */
  about: string;
}

export interface Chapter {
  title: string;
  pages: Page[];
}

export interface Document extends Rendered {
  /** Those before and after it in the book. */
  previous: Page | undefined;
  next: Page | undefined;
}

export interface Book {
  chapters: Chapter[];
  /** Undefined where there is no such document. */
  open(name: string): Document | undefined;
}

/** Documents by chapter, and what each is about. What is in the folder and not named here comes last. */
const ORDER: readonly (readonly [title: string, pages: Readonly<Record<string, string>>])[] = [
  ['Start', { 'quick-start': 'From a fresh clone to a completed order in five minutes.' }],
  [
    'Guides',
    {
      'embed-the-widget': 'Buying and selling on your own page, with two lines of HTML.',
      'go-headless': 'Your own screens over the API: catalog, quotes, checkout, records.',
      'receive-webhooks': 'Hear of every change of an order, and know that it is true.',
      'go-live': 'From the sandbox to real providers and real money.',
      'adding-a-provider': 'Write an adapter for a ramp that is not here yet.',
    },
  ],
  [
    'Reference',
    {
      api: 'Every operation, to read and to try.',
      widget: 'The widget’s parameters, events and theme.',
      client: 'The TypeScript client for browsers and Node.',
      webhooks: 'Headers, signatures, attempts and replays.',
      'signed-checkout': 'Checkouts that nobody can alter on the way.',
      operations: 'Settings, health, metrics, logs, backups, upgrades.',
      providers: 'What each provider can do, and what was never seen.',
    },
  ],
  [
    'Protocols',
    {
      'earlier-surface': 'For clients that were written for the earlier API.',
      openramp: 'How a ramp plugs itself in, without code from anybody.',
    },
  ],
  [
    'Inside',
    {
      architecture: 'What things are called, where they live, and why.',
      reliability: 'What the service has survived, counted.',
      speed: 'What it costs, held against the least it could cost.',
      simulation: 'The whole service in a world that one number decides.',
      dependencies: 'Which packages are used, and which are not.',
      'catalog-sources': 'Where assets, networks and icons come from.',
    },
  ],
];

/** The page that is no document. */
const REFERENCE = 'api';

/** The address of a service that was started with no settings, as documents have it. */
const WRITTEN_URL = 'http://127.0.0.1:8080';

/** Reads the documents below `root` and turns them into pages of a service at this address. */
export async function readBook(root: string, publicUrl: string): Promise<Book> {
  const files = filesOf(root);
  const { pathname } = new URL(publicUrl);
  const documents = new Map<string, Rendered>();
  for (const [name, path] of files) {
    const text = (await readFile(join(root, path), 'utf8')).replaceAll(WRITTEN_URL, publicUrl);
    documents.set(
      name,
      renderMarkdown(text, href => resolve(href, `${pathname.replace(/\/$/, '')}/docs`, files)),
    );
  }
  const known = ORDER.map(([title, about]) => ({ title, about }));
  const named = new Set(known.flatMap(({ about }) => Object.keys(about)));
  const others = [...files.keys()].filter(name => !named.has(name));
  const chapters = [...known, { title: 'More', about: Object.fromEntries(others.map(name => [name, ''])) }]
    .map(({ title, about }) => ({ title, pages: Object.entries(about).flatMap(pageOf) }))
    .filter(({ pages }) => pages.length > 0);
  const pages = chapters.flatMap(chapter => chapter.pages);

  function pageOf([name, about]: [string, string]): Page[] {
    const title = name === REFERENCE ? 'API reference' : documents.get(name)?.title;
    return title === undefined ? [] : [{ name, title, about }];
  }

  return {
    chapters,
    open(name) {
      const document = documents.get(name);
      const at = pages.findIndex(page => page.name === name);
      return document && { ...document, previous: pages[at - 1], next: pages[at + 1] };
    },
  };
}

/** Paths of documents by name: those of `docs`, and the client's own. */
function filesOf(root: string): Map<string, string> {
  const names = readdirSync(join(root, 'docs'))
    .filter(file => file.endsWith('.md'))
    .sort();
  const files = new Map(names.map(file => [file.slice(0, -'.md'.length), `docs/${file}`]));
  if (existsSync(join(root, CLIENT))) files.set('client', CLIENT);
  return files;
}

const CLIENT = 'client/README.md';

/** Links from one document to another work where the documents are kept, and here. */
function resolve(href: string, base: string, files: ReadonlyMap<string, string>): string | undefined {
  const [path = '', fragment] = href.split('#');
  const name = path.endsWith(CLIENT) ? 'client' : /^(?:\.\.\/docs\/|\.\/)?([\w-]+)\.md$/.exec(path)?.[1];
  if (name === undefined || !files.has(name)) return undefined;
  return `${base}/${name}${fragment === undefined ? '' : `#${fragment}`}`;
}
