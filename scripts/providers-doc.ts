/** The document about providers: what each supports, needs, and is known by; written from their folders. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { translate } from '../src/app/listings.ts';
import { withStandin } from '../src/cli/provider-check.ts';
import type { Requirement } from '../src/domain/kyc.ts';
import type { Listing } from '../src/domain/listing.ts';
import type { Side } from '../src/domain/words.ts';
import { createDeadline } from '../src/engine/deadline.ts';
import { currencies } from '../src/main.ts';
import { type Adapter, isMadeUp, type Manifest } from '../src/providers/contract.ts';
import { type Registered, registry } from '../src/providers/registry.ts';

/** The whole text, for the checkout at `root`. */
export async function describeProviders(root: string): Promise<string> {
  const described: Described[] = [];
  for (const registered of registry) described.push(await describe(root, registered));
  described.sort((a, b) => (a.adapter.manifest.name < b.adapter.manifest.name ? -1 : 1));
  return [HEAD, table(described), ...described.map(section)].join('\n');
}

const HEAD = `# Providers

Written by \`node scripts/providers-doc.mjs\` from the providers' folders; a test fails when it is out of date.

No provider was called with real credentials while this was written: whatever is said here rests on their public documents and on public integrators,
and \`cloverleaf provider check <id>\` says what of it holds for yours. Countries, fiats, assets and amounts are those that the stand-in lists in the
sandbox; with credentials, the provider's own catalog decides.
`;

interface Described {
  adapter: Adapter;
  listings: Listing[];
  cases: Case[];
  notes: Notes;
}

/** A moment that stands still, so that the stand-ins' prices and limits do. */
const NOW = Date.parse('2026-01-01T12:00:00Z');

async function describe(root: string, registered: Registered): Promise<Described> {
  const { adapter } = registered;
  const folder = join(root, 'src/providers', adapter.manifest.id);
  const listings = await withStandin(
    registered,
    async ({ line }) => {
      const deadline = createDeadline(20_000);
      const theirs = await line.run(context => adapter.catalog(context), {
        ...{ deadline, bodyLimit: 16 * 1024 * 1024, id: 'doc' },
      });
      deadline.clear();
      return translate(theirs, adapter.manifest, currencies);
    },
    () => NOW,
  );
  return { adapter, listings, cases: readCases(folder), notes: readNotes(folder) };
}

interface Case {
  do: string;
  input?: { theirs?: string; access?: string };
  claims?: { how?: string; secret?: string; at?: number }[];
  hints?: unknown[];
  output?: unknown;
}

function readCases(folder: string): Case[] {
  return ['exemplary', 'supplemental'].flatMap(kind =>
    readdirSync(join(folder, kind))
      .sort()
      .map(file => JSON.parse(readFileSync(join(folder, kind, file), 'utf8')) as Case),
  );
}

interface Notes {
  sources: string;
  points: string[];
}

/** The first paragraphs say where the facts come from, the list what was not found; headings and introductions are ours. */
function readNotes(folder: string): Notes {
  const file = join(folder, 'NOTES.md');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const blocks = text.split(/\n{2,}/).map(block => block.trim());
  const isList = (block: string) => block.startsWith('- ');
  const prose = blocks.filter(block => block && !isList(block) && !/^#|:$/.test(block));
  const points = blocks.filter(isList).flatMap(block => block.slice(2).split(/\n- /));
  return { sources: prose.map(unwrapped).join(' '), points: points.map(unwrapped) };
}

const unwrapped = (text: string) => text.replace(/\s+/g, ' ').trim();

function table(described: readonly Described[]): string {
  const rows = described.map(({ adapter, listings, cases }) => {
    const { manifest } = adapter;
    return [
      `[${manifest.name}](#${anchor(manifest.name)})`,
      manifest.sides.join(', '),
      count(listings, ({ countries }) => countries ?? ['all']),
      count(listings, ({ fiats }) => fiats.keys()),
      count(listings, ({ fiats }) => [...fiats.values()].flatMap(({ methods }) => [...methods.keys()])),
      count(listings, ({ assets }) => assets.keys()),
      manifest.checkout.makes,
      webhooksOf(adapter, cases),
      adapter.status ? 'yes' : 'no',
      `${manifest.limits.perSecond}/s`,
    ];
  });
  const names = 'provider|sides|countries|fiats|methods|assets|checkout|webhooks|can be asked|requests';
  return `${lines(names.split('|'), rows)}\n`;
}

function lines(names: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  return [names, names.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function anchor(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9 -]/g, '')
    .replaceAll(' ', '-');
}

function count(listings: readonly Listing[], of: (listing: Listing) => Iterable<string>): string {
  const all = new Set(listings.flatMap(listing => [...of(listing)]));
  return all.has('all') ? 'any' : String(all.size);
}

/** How its webhooks are proven, as its cases show. */
function webhooksOf({ webhook }: Adapter, cases: readonly Case[]): string {
  if (!webhook) return 'none';
  const proven = cases.some(({ claims }) => claims && claims.length > 0);
  if (!proven) return 'hints';
  return webhook.hints ? 'proven, or hints' : 'proven';
}

function section(described: Described): string {
  const { adapter, listings, notes } = described;
  const { manifest } = adapter;
  return [
    `## ${manifest.name}`,
    '',
    ...facts(described).map(([name, text]) => `- **${name}:** ${text}`),
    '',
    lines(['setting', 'what it is', 'needed', 'secret', 'without it'], manifest.settings.map(settingRow)),
    '',
    ...manifest.sides.flatMap(side => [limitsText(side, listings)]),
    notes.sources || 'Where its facts come from is not written down.',
    '',
    ...(notes.points.length > 0 ? ['Not found or never seen, and what is done about it:', ''] : []),
    ...notes.points.map(point => `- ${point}`),
    ...(notes.points.length > 0 ? [''] : []),
  ].join('\n');
}

function facts({ adapter, listings, cases }: Described): [string, string][] {
  const { manifest } = adapter;
  const { makes, opens } = manifest.checkout;
  return [
    ['Id', `\`${manifest.id}\`${isMadeUp(manifest) ? ', in the sandbox only' : ''}`],
    ['Hosts', hostsText(manifest)],
    ['Sides', `${manifest.sides.join(' and ')}; ${receivedText(manifest)}`],
    ['Countries', countriesText(listings)],
    ['Fiats', listed(listings, ({ fiats }) => [...fiats.keys()].map(id => id.toUpperCase()))],
    [
      'Payment methods',
      listed(listings, ({ fiats }) => [...fiats.values()].flatMap(({ methods }) => [...methods.keys()])),
    ],
    ['Assets', assetsText(listings)],
    ['Checkout', `a ${makes} that opens ${opens === 'iframe' ? 'in a frame' : 'as a page of its own'}`],
    ['Webhooks', proofText(adapter, cases)],
    ['Polling', pollingText(adapter, cases)],
    ['Requests', `${manifest.limits.perSecond} a second, ${manifest.limits.burst} at once`],
    ['KYC', kycText(manifest)],
    ['Takes', durationText(manifest)],
    ['Cases', `${cases.length}`],
  ];
}

function hostsText({ hosts }: Manifest): string {
  return Object.entries(hosts)
    .map(([name, { live, test }]) => `${name} \`${live}\`${live === test ? '' : ` (test \`${test}\`)`}`)
    .join(', ');
}

function receivedText({ sides, pricesDestination }: Manifest): string {
  const priced = sides.filter(side => pricesDestination.includes(side));
  if (priced.length === 0) return 'an exact received amount is solved for';
  return `an exact received amount is priced on ${priced.join(' and ')}`;
}

function countriesText(listings: readonly Listing[]): string {
  const number = count(listings, ({ countries }) => countries ?? ['all']);
  const states = listed(listings, ({ assets }) =>
    [...assets.values()].flatMap(({ notIn = [] }) => [...notIn].filter(code => code.startsWith('US-'))),
  );
  const served = number === 'any' ? 'not restricted by the catalog' : number;
  return states === 'none' ? served : `${served}; some assets not in ${states}`;
}

function listed(listings: readonly Listing[], of: (listing: Listing) => Iterable<string>): string {
  const all = [...new Set(listings.flatMap(listing => [...of(listing)]))].sort();
  return all.length > 0 ? all.join(', ') : 'none';
}

function assetsText(listings: readonly Listing[]): string {
  const ids = new Set(listings.flatMap(({ assets }) => [...assets.keys()]));
  const networks = new Set([...ids].flatMap(id => currencies.assets.get(id)?.network ?? []));
  return `${ids.size} on ${networks.size} networks: ${[...networks].sort().join(', ')}`;
}

function proofText({ webhook }: Adapter, cases: readonly Case[]): string {
  if (!webhook) return 'none';
  const claims = cases.flatMap(one => one.claims ?? []).filter(({ how, secret }) => how && secret);
  const ways = new Set(claims.map(({ how, secret }) => `\`${how}\` with \`${secret}\``));
  const hints = 'an unproven one has the order looked up, and nothing in it is believed';
  const proven = [...ways].sort().join(' or ');
  if (!proven) return `cannot be proven: ${hints}`;
  return `proven by ${proven}${webhook.hints ? `; ${hints}` : ''}`;
}

/** Whether a look-up works before they have told their id of the order, as the cases show. */
function pollingText({ status, token }: Adapter, cases: readonly Case[]): string {
  if (!status) return 'it cannot be asked, so that webhooks have to tell';
  const asked = cases.filter(one => one.do === 'status' && Array.isArray(one.output) && one.output.length);
  const names = asked.some(({ input }) => !input?.theirs) ? 'our reference' : 'its own id of the order';
  const access = asked.some(({ input }) => input?.access) ? ', with what it told us to open it' : '';
  return `by ${names}${access}${token ? ', with a token that it lends' : ''}`;
}

function kycText({ kyc }: Manifest): string {
  const named = (one: Requirement | readonly Requirement[]) => [one].flat().join(' or ');
  return kyc
    .map(({ upTo, asks }) => {
      const bounds = Object.entries(upTo ?? {}).map(([code, amount]) => `${amount} ${code}`);
      return `${bounds.length > 0 ? `up to ${bounds.join(' or ')}: ` : ''}${asks.map(named).join(', ')}`;
    })
    .join('; above: ');
}

function durationText({ duration }: Manifest): string {
  const { '*': usual, ...others } = duration;
  const named = Object.entries(others).map(([method, seconds]) => `${method} ${spelled(seconds)}`);
  return [`${spelled(usual)}`, ...named].join('; ');
}

function spelled(seconds: number): string {
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.ceil(seconds / 3_600)} h`;
  const days = Math.ceil(seconds / 86_400);
  return `${days} ${days === 1 ? 'day' : 'days'}`;
}

function settingRow({ name, label, required, secret, fallback }: Manifest['settings'][number]): string[] {
  const without = typeof fallback === 'object' ? 'what they publish' : fallback ? `\`${fallback}\`` : '';
  return [`\`${name}\``, label, required ? 'yes' : '', secret ? 'yes' : '', without];
}

/** The limits of the likeliest purchase and sale, as an example. */
function limitsText(side: Side, listings: readonly Listing[]): string {
  for (const { fiats } of listings.filter(listing => listing.side === side)) {
    for (const [id, { methods }] of fiats) {
      if (id !== 'eur' && id !== 'usd') continue;
      const bounds = [...methods].flatMap(([method, { min, max }]) =>
        min || max ? [`${method} ${min ?? '…'}–${max ?? '…'}`] : [],
      );
      if (bounds.length > 0) return `Limits of a ${side} in ${id.toUpperCase()}: ${bounds.join(', ')}.\n`;
    }
  }
  return `Limits of a ${side}: none are listed by payment method; the provider states them when it refuses.\n`;
}
