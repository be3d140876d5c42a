/** The documents are true as far as they can be read: blocks parse, links lead somewhere, tables say what the source says. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type Loader, transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { readConfig } from '../src/config.ts';
import { readBook } from '../src/http/site/book.ts';
import { createMetrics } from '../src/metrics.ts';
import { registry } from '../src/providers/registry.ts';
import { type Block, blocksOf, documents, readDocument, WRITTEN_URL } from './docs.ts';

const ROOT = resolve(import.meta.dirname, '..');
const all = documents().flatMap(blocksOf);
const inLanguage = (...names: string[]) => all.filter(({ language }) => names.includes(language));

describe('blocks', () => {
  it('are in languages that are run, parsed, compared or only read', () => {
    const known = ['', 'sh', 'js', 'ts', 'tsx', 'html', 'json', 'text', 'python'];
    expect(all.filter(({ language }) => !known.includes(language)).map(({ place }) => place)).toEqual([]);
    expect(inLanguage('sh').length).toBeGreaterThan(15);
  });

  it('of JSON parse', () => {
    const wrong = inLanguage('json').filter(({ text }) => !isJson(text));
    expect(wrong.map(({ place }) => place)).toEqual([]);
  });

  it.each(inLanguage('js', 'ts', 'tsx').map(block => [block.place, block] as const))(
    '%s parses',
    async (_place, block) => {
      await expect(parse(block)).resolves.toBeDefined();
    },
  );

  it('that are not run say why, and are few', () => {
    const unrun = all.filter(({ rest }) => rest.includes('no-run'));
    expect(unrun.filter(block => (block.unrun ?? '').length < 10).map(({ place }) => place)).toEqual([]);
    expect(unrun.map(({ place, unrun: why }) => `${place.split(':')[0]}: ${why}`)).toEqual(UNRUN);
  });
});

/** Every block of commands that nobody runs. A new one needs a good reason. */
const UNRUN = [
  'README.md: the quick start begins with the first, and the second is what runs this',
  'docs/catalog-sources.md: it installs the packages and writes the catalog',
  'docs/earlier-surface.md: a part of a page',
  'docs/go-live.md: it starts a second service',
  'docs/go-live.md: it calls the provider, with credentials of yours',
  'docs/go-live.md: the id is that of your order',
  'docs/openramp.md: the ramp is yours',
  'docs/quick-start.md: the address is where you found the source',
  'docs/receive-webhooks.md: the test starts its service with this setting',
  'docs/reliability.md: it keeps a machine busy for long',
  'docs/simulation.md: each takes minutes, and a test runs two seeds',
  'docs/speed.md: it wants a quiet machine for half an hour',
  'docs/webhooks.md: one line of a receiver',
  'docs/widget.md: parts of a page',
];

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function parse({ text, language }: Block): Promise<string> {
  return (await transform(text, { loader: language as Loader, format: 'esm' })).code;
}

describe('links', () => {
  it.each(documents())('of %s lead to files and headings that there are', async path => {
    const book = await readBook(ROOT, WRITTEN_URL);
    const links = [...withoutCode(readDocument(path)).matchAll(/\]\(([^)\s]+)\)/g)].map(
      ([, href = '']) => href,
    );
    const wrong = links.filter(href => {
      if (/^https?:/.test(href)) return false;
      const [file = '', fragment] = href.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(ROOT, target))) return true;
      return fragment !== undefined && !headingsOf(book, target).includes(fragment);
    });
    expect(wrong).toEqual([]);
  });

  function headingsOf(book: Awaited<ReturnType<typeof readBook>>, path: string): string[] {
    const name = path === 'client/README.md' ? 'client' : path.replace(/^docs\/|\.md$/g, '');
    return book.open(name)?.headings.map(({ id }) => id) ?? [];
  }
});

/** Without what stands between backticks. */
function withoutCode(text: string): string {
  return text.replace(/```[\s\S]*?```/g, '').replace(/`[^`\n]*`/g, '');
}

describe('the book', () => {
  it('has a place and a sentence for every document', async () => {
    const { chapters } = await readBook(ROOT, WRITTEN_URL);
    const pages = chapters.flatMap(chapter => chapter.pages);
    const files = readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md'));
    expect(pages.map(({ name }) => `${name}.md`)).toEqual(expect.arrayContaining(files));
    expect(pages.filter(({ about, title }) => about === '' || title === '').map(({ name }) => name)).toEqual(
      [],
    );
    expect(pages[0]?.name).toBe('quick-start');
  });

  it('ends every guide with what is next', () => {
    for (const name of [
      'quick-start',
      'embed-the-widget',
      'go-headless',
      'receive-webhooks',
      'go-live',
      'operations',
    ])
      expect(readDocument(`docs/${name}.md`).split('\n## ').at(-1)).toMatch(/^What next\n/);
  });
});

describe('the plain frame of the widget', () => {
  /** Our own pages copy addresses; the rest is handed on. */
  const needed = registry.flatMap(({ adapter }) => adapter.manifest.checkout.permissions);
  const powers = [...new Set([...needed, 'clipboard-write'])].sort();

  it.each(['docs/embed-the-widget.md', 'docs/widget.md'])('is allowed what providers need, in %s', path => {
    const [, allow] = /<iframe [^>]*allow="([^"]*)"/.exec(readDocument(path)) ?? [];
    expect(allow).toBe(powers.join('; '));
  });
});

/** The first columns of a document's tables. */
function tableOf(path: string): string[][] {
  return [...readDocument(path).matchAll(/^\| `([^`]+)`[^|]*\| ([^|]*) \|/gm)].map(
    ([, first = '', second = '']) => [first, second],
  );
}

describe('operations.md', () => {
  const rows = tableOf('docs/operations.md');

  it('names every setting there is, and no other', () => {
    const source = readFileSync(join(ROOT, 'src/config.ts'), 'utf8');
    const read = [...source.matchAll(/env\.([A-Z_]+)|\(env, '([A-Z_]+)'/g)].map(
      ([, one, other]) => one ?? other,
    );
    const named = rows.map(([name = '']) => name).filter(name => /^[A-Z_]+$/.test(name));
    expect(named.sort()).toEqual([...new Set(read)].sort());
  });

  it('has Node told the same by a service manager as by npm start', () => {
    const options = about.scripts.start.replace(/^exec node (.*) scripts\/start\.mjs$/, '$1');
    const commands = readDocument('docs/operations.md').match(/\bnode .*bin\/cloverleaf\.mjs serve/g);
    expect(new Set(commands)).toEqual(new Set([`node ${options} bin/cloverleaf.mjs serve`]));
  });

  it('states their defaults', () => {
    const stated = Object.fromEntries(rows.map(([name, value]) => [name, value?.replaceAll('`', '')]));
    const config = readConfig({});
    expect(stated).toMatchObject({
      HOST: config.host,
      PORT: String(config.port),
      DATABASE_PATIENCE_MS: String(config.databasePatienceMs),
      QUOTE_DEADLINE_MS: String(config.quoteDeadlineMs),
      RATE_LIMIT_PER_KEY: String(config.rateLimitPerKey),
      RATE_LIMIT_PER_ADDRESS: String(config.rateLimitPerAddress),
      QUOTES_AT_ONCE: String(config.quotesAtOnce),
      MOST_DELAY_MS: String(config.mostDelayMs),
      STOP_NOTICE_MS: String(config.stopNoticeMs),
      LOG_LEVEL: config.logLevel,
      SANDBOX: config.sandbox ? 'on' : 'off',
      ANONYMOUS: config.anonymous ? 'on' : 'off',
      DEFAULT_COUNTRY: `${config.defaultCountry} with the sandbox, else none`,
    });
    expect(resolve(stated.DATA_DIR ?? '')).toBe(config.dataDir);
  });

  it('names every metric of ours, and no other', async () => {
    const rendered = await createMetrics({ lines: () => [] }).render();
    const kept = [...rendered.matchAll(/^# TYPE (cloverleaf_\w+)/gm)].map(([, name]) => name);
    const named = rows.map(([name = '']) => name).filter(name => name.startsWith('cloverleaf_'));
    expect(named.sort()).toEqual(kept.sort());
  });
});
