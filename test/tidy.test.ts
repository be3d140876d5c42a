/** House rules that can be read off the source: which way imports point, what is not used where, how files look. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

interface Source {
  /** Below the root, with slashes: `src/app/quotes.ts`. */
  path: string;
  text: string;
  /** Without comments and without what stands in quotes. */
  code: string;
  imports: Import[];
}

interface Import {
  /** A path below the root, or the name of a package. */
  target: string;
  isPackage: boolean;
  typeOnly: boolean;
}

const tests: Source[] = [];
const sources: Source[] = [];
for (const source of [...readSources('src'), ...readSources('client/src')])
  (source.path.endsWith('.test.ts') ? tests : sources).push(source);

function readSources(folder: string): Source[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts'))
    .map(name => {
      const path = join(folder, name).replaceAll('\\', '/');
      const text = readFileSync(join(ROOT, path), 'utf8');
      return { path, text, code: withoutWords(text), imports: importsOf(path, text) };
    });
}

/** Blanks comments, strings and patterns, keeping the lines. Good enough for source that biome has formatted. */
function withoutWords(text: string): string {
  return text.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|\$\{[^}`]*\}|[^`\\])*`/g,
    found => {
      const kept = found.startsWith('`') ? (found.match(/\$\{[^}`]*\}/g) ?? []).join(' ') : '';
      return kept + '\n'.repeat(found.split('\n').length - 1);
    },
  );
}

function importsOf(path: string, text: string): Import[] {
  const statements = text.matchAll(
    /^(?:import|export)\s(type\s)?[^;]*?\bfrom\s+'([^']+)'|^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm,
  );
  return [...statements].map(([statement, type, from, bare, dynamic]) => {
    const target = from ?? bare ?? dynamic ?? '';
    const isPackage = !target.startsWith('.');
    const names =
      /\{([^}]*)\}/
        .exec(statement)?.[1]
        ?.split(',')
        .map(name => name.trim()) ?? [];
    const allTypes = names.length > 0 && names.filter(Boolean).every(name => name.startsWith('type '));
    return {
      target: isPackage ? target : relative(ROOT, resolve(ROOT, dirname(path), target)).replaceAll('\\', '/'),
      isPackage,
      typeOnly: type !== undefined || allTypes,
    };
  });
}

/** The part of the tree a file belongs to. */
function areaOf(path: string): string {
  if (path.startsWith('client/')) return 'client';
  const [, area = '', rest] = path.split('/');
  if (area === 'providers') return rest?.includes('.ts') ? `providers/${rest}` : 'providers/*';
  return area;
}

/** Where each part may import from, besides itself. `type:` allows types only. */
const ARROWS: Record<string, string[]> = {
  domain: [],
  'providers/*': ['domain', ...sharedByProviders()],
  engine: ['domain', 'providers/contract.ts', 'providers/exchange.ts', 'together.ts'],
  store: ['domain'],
  app: ['engine', 'store', 'domain', 'providers/contract.ts', 'providers/exchange.ts', 'together.ts'],
  http: [
    ...['app', 'domain', 'metrics.ts', 'together.ts'],
    ...['type:providers/contract.ts', 'type:providers/exchange.ts'],
  ],
  sandbox: ['domain', 'providers/world.ts', 'engine/sign.ts', 'engine/ids.ts'],
  'metrics.ts': ['series.ts', 'type:app', 'type:domain', 'type:engine'],
  'config.ts': [],
  'together.ts': [],
};

/** Files directly in `providers/` that every folder may use: the contracts, and small pure pieces they share. */
function sharedByProviders(): string[] {
  return readdirSync(join(ROOT, 'src/providers'))
    .filter(name => name.endsWith('.ts') && !name.endsWith('.test.ts') && name !== 'registry.ts')
    .map(name => `providers/${name}`);
}

for (const shared of sharedByProviders()) ARROWS[shared] = ['domain', ...sharedByProviders()];

function isAllowed(from: string, { target, typeOnly }: Import): boolean {
  const [area, toward] = [areaOf(from), areaOf(target)];
  // A provider's folder is a part of its own: the others are as foreign as any.
  if (area === 'providers/*' && toward === 'providers/*') return dirname(from) === dirname(target);
  if (area === toward) return true;
  const arrows = ARROWS[area] ?? [];
  return arrows.some(arrow => {
    const [only, name] = arrow.startsWith('type:') ? [true, arrow.slice(5)] : [false, arrow];
    return (name === toward || `src/${name}` === target) && (typeOnly || !only);
  });
}

/** Packages each part may use; parts that are not named may use any. */
const PACKAGES: Record<string, RegExp> = {
  // It is to run anywhere by itself.
  client: /^$/,
  domain: /^(@noble\/hashes\/\w+\.js|@scure\/base)$/,
  'providers/*': /^typebox$/,
  engine: /^(lru-cache|ulid|ipaddr\.js|standardwebhooks|node:(crypto|dns|events|net|tls))$/,
  store: /^(kysely|pg|node:.*)$/,
  sandbox: /^node:(http|net)$/,
};
for (const shared of sharedByProviders()) PACKAGES[shared] = /^typebox(\/compile)?$/;

/** Everything may be put together here. */
const COMPOSING = ['main.ts', 'cli'];

describe('the rules', () => {
  const arrow = (from: string, target: string, typeOnly = false) =>
    isAllowed(`src/${from}`, { target: `src/${target}`, isPackage: false, typeOnly });

  it.each([
    ['domain/offer.ts', 'engine/line.ts'],
    ['domain/offer.ts', 'providers/contract.ts'],
    ['store/tasks.ts', 'app/tasks.ts'],
    ['store/tasks.ts', 'engine/line.ts'],
    ['engine/line.ts', 'store/tasks.ts'],
    ['engine/line.ts', 'providers/moonpay/adapter.ts'],
    ['engine/line.ts', 'config.ts'],
    ['app/quotes.ts', 'http/server.ts'],
    ['app/quotes.ts', 'providers/registry.ts'],
    ['http/server.ts', 'store/database.ts'],
    ['http/server.ts', 'engine/line.ts'],
    ['http/current/routes.ts', 'providers/contract.ts'],
    ['http/current/routes.ts', 'sandbox/server.ts'],
    ['providers/moonpay/adapter.ts', 'providers/transak/wire.ts'],
    ['providers/moonpay/adapter.ts', 'providers/registry.ts'],
    ['providers/moonpay/adapter.ts', 'engine/sign.ts'],
    ['providers/contract.ts', 'providers/moonpay/adapter.ts'],
  ])('would notice %s -> %s', (from, target) => {
    expect(arrow(from, target)).toBe(false);
  });

  it('let through what is meant', () => {
    expect(arrow('http/current/view.ts', 'providers/contract.ts', true)).toBe(true);
    expect(arrow('providers/moonpay/adapter.ts', 'providers/moonpay/wire.ts')).toBe(true);
    expect(arrow('app/quotes.ts', 'engine/auction.ts')).toBe(true);
  });

  it('read imports of every form', () => {
    const text = [
      "import a from './a.ts';",
      "import type { B } from './b.ts';",
      "import { type C, type D } from './c.ts';",
      "import { type E, f } from './e.ts';",
      "import {\n  g,\n} from './g.ts';",
      "import './h.ts';",
      "export { i } from './i.ts';",
      "const j = await import('node:fs');",
    ].join('\n');
    const read = importsOf('src/x.ts', text).map(
      ({ target, typeOnly }) => `${target}${typeOnly ? ' (type)' : ''}`,
    );
    expect(read).toEqual([
      ...[
        'src/a.ts',
        'src/b.ts (type)',
        'src/c.ts (type)',
        'src/e.ts',
        'src/g.ts',
        'src/h.ts',
        'src/i.ts',
        'node:fs',
      ],
    ]);
  });

  it('look at code, not at what comments and strings say', () => {
    const template = ['`Date.now $', '{Date.now()}`'].join('');
    const text = `a(); // Date.now\nb('Date.now'); /* Date.now\n*/ c(${template});`;
    expect(
      withoutWords(text)
        .split('\n')
        .map(line => line.includes('Date.now')),
    ).toEqual([false, false, true]);
  });
});

describe('imports', () => {
  it('are seen at all', () => {
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.flatMap(({ imports }) => imports).length).toBeGreaterThan(200);
    const lost = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ isPackage, target }) => !isPackage && !existsSync(join(ROOT, target)))
        .map(one => `${path} -> ${one.target}`),
    );
    expect(lost).toEqual([]);
  });

  it('point one way only: http, app, engine and store, domain', () => {
    const wrong = sources
      .filter(({ path }) => !COMPOSING.includes(areaOf(path)) && path !== 'src/providers/registry.ts')
      .flatMap(({ path, imports }) =>
        imports
          .filter(one => !one.isPackage && !isAllowed(path, one))
          .map(({ target }) => `${path} -> ${target}`),
      );
    expect(wrong).toEqual([]);
  });

  it('of packages are the few each part needs', () => {
    const wrong = sources.flatMap(({ path, imports }) => {
      const allowed = PACKAGES[areaOf(path)];
      return imports
        .filter(one => one.isPackage && allowed && !allowed.test(one.target))
        .map(({ target }) => `${path} -> ${target}`);
    });
    expect(wrong).toEqual([]);
  });

  it('of the sandbox and the registry stand only where things are put together', () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target.startsWith('src/sandbox/') || target === 'src/providers/registry.ts')
        .filter(() => !COMPOSING.includes(areaOf(path)) && areaOf(path) !== 'sandbox')
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  it('never come from a test', () => {
    const wrong = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /\.test\.ts$|^test\//.test(target))
        .map(({ target }) => `${path} -> ${target}`),
    );
    expect(wrong).toEqual([]);
  });
});

/** Places where a pattern stands in the code, apart from those that are allowed. */
function find(pattern: RegExp, where: (path: string) => boolean, allowed: readonly string[] = []): string[] {
  return sources
    .filter(({ path }) => where(path))
    .flatMap(({ path, code, text }) => {
      const lines = text.split('\n');
      return code
        .split('\n')
        .flatMap((line, at) => (pattern.test(line) ? [`${path}:${at + 1}: ${lines[at]?.trim()}`] : []))
        .filter(
          place =>
            !allowed.some(
              one =>
                place.startsWith(one.split(' ')[0] ?? '') &&
                place.includes(one.split(' ').slice(1).join(' ')),
            ),
        );
    });
}

const everywhere = () => true;
const inPure = (path: string) => /^src\/(domain|providers)\//.test(path);

describe('purity', () => {
  it('reads the environment in one place', () => {
    expect(find(/\bprocess\.env\b/, path => path !== 'src/config.ts')).toEqual([]);
  });

  it('keeps clocks, chance and the network out of domain and providers', () => {
    const pattern =
      /\bDate\.now\b|\bMath\.random\b|\bfetch\(|\bnew Date\(\)|\bperformance\.|\bsetTimeout\b|\bsetInterval\b|\bcrypto\.(random|get|subtle)|\bprocess\./;
    expect(find(pattern, inPure)).toEqual([]);
  });

  it('keeps chance out of everything but what makes keys and ids', () => {
    expect(find(/\bMath\.random\b/, everywhere)).toEqual([]);
  });
});

describe('money', () => {
  /** Where a number of another kind than money is meant, with the words of the line. */
  const COUNTS = [
    'src/domain/decimal.ts Number(exponent)',
    // Only where that is the same whole number.
    'src/domain/whole.ts const number = Number(value);',
    'src/app/flow-tokens.ts turn: Number(turn), option: Number(option)',
    'src/app/quote-ids.ts Number.parseInt(until, 10)',
    'src/providers/moments.ts Number(text) * 1000',
    'src/providers/openramp/steps.ts Number(progress)',
  ];

  it('never becomes a float', () => {
    const pattern = /\bparseFloat\b|\.toFixed\(|\.toNumber\(|\bNumber\(|\bNumber\.parseFloat\b|\bparseInt\b/;
    expect(find(pattern, path => /^src\/(domain|providers|app)\//.test(path), COUNTS)).toEqual([]);
  });

  it('is made and read in one place', () => {
    const wrong = sources.filter(
      ({ path, imports }) =>
        path !== 'src/domain/money.ts' && imports.some(({ target }) => target === 'src/domain/decimal.ts'),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });
});

describe('files', () => {
  it('open with a sentence that says what they are', () => {
    const silent = [...sources, ...tests].filter(({ text }) => !/^(#![^\n]*\n)?\/\*\* [^\n]{10,}/.test(text));
    expect(silent.map(({ path }) => path)).toEqual([]);
  });

  it('are no longer than 350 lines', () => {
    // But for what a script writes.
    const written = ['client/src/types.ts'];
    const long = sources.filter(({ path, text }) => !written.includes(path) && text.split('\n').length > 351);
    expect(long.map(({ path, text }) => `${path}: ${text.split('\n').length - 1}`)).toEqual([]);
  });

  it('export by name, and nothing else’s', () => {
    expect(find(/\bexport default\b|^export \*/, everywhere)).toEqual([]);
  });

  it('hold no any, no suppressed check and no forced non-null', () => {
    expect(find(/:\s*any\b|\bas any\b|<any\b|\bany\[\]/, everywhere)).toEqual([]);
    const pattern = /@ts-(ignore|nocheck|expect-error)|biome-ignore(?! format)/;
    expect(sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('have getters in classes only: a plain object with one lives until all of memory is gone through', () => {
    const isPlain = ({ code }: { code: string }) =>
      /^\s+[gs]et \w+\(/m.test(code) && !/^(export )?class /m.test(code);
    expect(sources.filter(isPlain).map(({ path }) => path)).toEqual([]);
  });

  it('leave nothing to be done', () => {
    expect(sources.filter(({ text }) => /\b(TODO|FIXME)\b/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('have no names that say nothing', () => {
    const pattern =
      /^(export )?(class|interface|type|function|const) \w*(Service|Manager|Helper|Utils?|Impl)\b/;
    expect(find(pattern, path => path !== 'src/main.ts')).toEqual([]);
  });
});

interface Lockfile {
  packages: Record<
    string,
    { resolved?: string; optional?: boolean; os?: string[]; cpu?: string[]; libc?: string[] }
  >;
}

describe('what is installed', () => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lockfile;

  it('names no address to fetch a package from', () => {
    const addressed = Object.entries(lock.packages).filter(([, { resolved }]) => resolved !== undefined);
    expect(addressed.map(([name]) => name)).toEqual([]);
  });

  it('has for arm64 every binding it has for x64', () => {
    const linux = (cpu: string) =>
      Object.entries(lock.packages).filter(
        ([, entry]) => entry.optional && entry.os?.includes('linux') && entry.cpu?.includes(cpu),
      );
    const present = new Set(linux('arm64').map(([name]) => name));
    const missing = linux('x64').filter(([name]) => !present.has(name.replace('x64', 'arm64')));
    expect(missing.map(([name]) => name)).toEqual([]);
    expect(linux('x64').length).toBeGreaterThan(3);
  });

  it('is pinned to the exact version', () => {
    const about = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string> | undefined
    >;
    const all = ['dependencies', 'devDependencies', 'optionalDependencies'].flatMap(kind =>
      Object.entries(about[kind] ?? {}),
    );
    expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+[\w.-]*$/.test(version))).toEqual([]);
  });
});

describe('what is kept', () => {
  /** Everything but what is made or fetched; this file itself has to spell out what it looks for. */
  const kept = readdirSync(ROOT, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter(
      path =>
        !/^(node_modules|dist[^/]*|client\/dist|data|coverage|\.git)\/|\.log$/.test(path) &&
        path !== 'test/tidy.test.ts',
    );
  const texts = kept.filter(path => !/\.(png|svg|ico|woff2?|mmdb|gz)$/.test(path));

  it('holds no path of one machine and no address of a package registry', () => {
    const pattern =
      /\/(work|root)\/|\/(home|Users)\/\w|[A-Z]:\\|registry\.(npmjs|yarnpkg)|artifactory|verdaccio/;
    expect(texts.filter(path => pattern.test(readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
    expect(texts.length).toBeGreaterThan(100);
  });

  it('ends every text with one newline and has no carriage returns', () => {
    const odd = texts.filter(path => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return text.includes('\r') || !text.endsWith('\n') || text.endsWith('\n\n');
    });
    expect(odd).toEqual([]);
  });

  it('holds nothing that is secret', () => {
    expect(kept.filter(path => /(^|\/)\.env|\.(pem|key|p12)$/.test(path))).toEqual([]);
  });
});
