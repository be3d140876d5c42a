/** X9, whereabouts: whatever a caller says of its address or its country, it is taken to be where it really is. */
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import type { Call, Caller } from './caller.ts';
import { PROXY, type Scene } from './scene.ts';

/** An address of our machine that is no proxy of ours; by itself it is where private addresses are taken to be. */
const STRANGER = '127.0.0.2';
const HOME = 'DE';
const GERMAN = ['193.99.144.80', '2a02:2e0:3fe:1001:302::', '::ffff:193.99.144.80'];
const AMERICAN = '8.8.8.8';
const AMERICAN_6 = '2620:0:ccc::2';
const AT_ONCE = 8;

type Header = readonly [name: string, value: string];

/** What callers write who would like to be elsewhere. */
const SPOOFS: readonly string[] = [
  AMERICAN,
  AMERICAN_6,
  `[${AMERICAN_6}]`,
  `[${AMERICAN_6}]:443`,
  `${AMERICAN}:443`,
  `::ffff:${AMERICAN}`,
  '::ffff:808:808',
  '64:ff9b::808:808',
  `${AMERICAN}, ${PROXY}`,
  `${AMERICAN},${PROXY},${PROXY}`,
  `${AMERICAN},,,`,
  ` ${AMERICAN} `,
  `\t${AMERICAN}\t,\t${AMERICAN}`,
  Array(100).fill(AMERICAN).join(','),
  Array(100).fill(PROXY).join(','),
  [AMERICAN, ...Array(31).fill(PROXY)].join(', '),
  [AMERICAN, ...Array(32).fill(PROXY)].join(', '),
  Array(40).fill(AMERICAN_6).join(', '),
  '010.010.010.010',
  '0x8.0x8.0x8.0x8',
  '134744072',
  '8.8.2056',
  'localhost',
  'unknown',
  '_hidden',
  'for=8.8.8.8',
  '"8.8.8.8"',
  'US',
  '',
  ',',
  '\u00e9',
  '8.8.8.8%eth0',
  'fe80::1%lo',
  '../../8.8.8.8',
  "8.8.8.8'--",
];

/** Headers by which some proxy or network somewhere names an address or a country. */
const NAMES_OF_ADDRESSES = [
  ...['x-forwarded-for', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'true-client-ip', 'client-ip'],
  ...['cf-connecting-ip', 'cf-connecting-ipv6', 'cf-pseudo-ipv4', 'fastly-client-ip', 'x-azure-clientip'],
  ...[
    'x-envoy-external-address',
    'x-original-forwarded-for',
    'x-forwarded',
    'forwarded-for',
    'x-appengine-user-ip',
  ],
];
const NAMES_OF_COUNTRIES = [
  ...['cf-ipcountry', 'cloudfront-viewer-country', 'x-country-code', 'x-vercel-ip-country', 'x-geo-country'],
  ...[
    'x-appengine-country',
    'x-akamai-edgescape',
    'fastly-geo-country',
    'x-client-country',
    'x-azure-country',
  ],
];

/** A caller, what it writes, and the country that it is in all the same. */
interface Guise {
  from: string;
  headers: readonly Header[];
  country: string;
}

export async function tryWhereabouts({
  caller,
  own,
  world,
}: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const examples: string[] = [];
  const routes = routesFor(own.publicKey);
  const honest = new Map<string, string>();
  for (const route of routes) honest.set(route.name, await tell(caller, route, { from: PROXY, headers: [] }));
  const lines: Line[] = [];
  for (const [what, guises] of [
    ['from a peer that is no proxy of ours', fromStrangers()],
    ['to the left of what our proxy writes', behindProxy()],
  ] as const) {
    const tries = (world.small ? world.chance.shuffle(guises).slice(0, 40) : guises).flatMap(guise =>
      routes.map(route => ({ guise, route })),
    );
    const found: string[] = [];
    await each(tries, AT_ONCE, async ({ guise, route }) => {
      const told = await tell(caller, route, guise);
      if (told === honest.get(route.name)) return;
      found.push(`${route.name} from ${guise.from} with ${JSON.stringify(guise.headers)}: ${told}`);
    });
    examples.push(...found);
    lines.push({
      ...{ fault: 'X9', what, count: tries.length, violations: found.length },
      worst: `${guises.length} headers, ${routes.length} routes`,
    });
  }
  lines.push(await believeProxy(caller, routes, examples));
  return { lines, examples };
}

/** A question whose answer depends on the country, and what of the answer tells it. */
interface Route {
  name: string;
  call: Call;
  told(text: string): string;
}

function routesFor(publicKey: string): Route[] {
  const headers = [['authorization', publicKey] as const];
  return [
    {
      ...{ name: 'assets', call: { path: '/supported/assets', headers } },
      told: text => /"country":"(\w\w)"/.exec(text)?.[1] ?? text.slice(0, 90),
    },
    {
      ...{ name: 'defaults', call: { path: '/supported/defaults/all', headers } },
      told: text => /"recommended":\{[^}]*"country":"(\w\w)"/.exec(text)?.[1] ?? text.slice(0, 90),
    },
    {
      ...{ name: 'gateways', call: { path: '/legacy/gateways' } },
      told: text => /"localization":\{"country":"(\w\w)"/.exec(text)?.[1] ?? text.slice(0, 90),
    },
    {
      // No provider sells dollars' worth to one, and all do to the other.
      ...{ name: 'quotes', call: { path: '/quotes/usd/btc?amount=100&errors=all' } },
      told: text => (text.match(/"ramp":"\w+"|"errorId":\d+/g) ?? []).sort().join(),
    },
  ];
}

async function tell(
  caller: Caller,
  { call, told }: Route,
  { from, headers }: Omit<Guise, 'country'>,
): Promise<string> {
  const { status, text } = await caller.call({
    ...call,
    from,
    headers: [...(call.headers ?? []), ...headers],
  });
  return `${status} ${told(text)}`;
}

function fromStrangers(): Guise[] {
  const spoofed = SPOOFS.flatMap(value =>
    NAMES_OF_ADDRESSES.map(name => ({ from: STRANGER, headers: [[name, value]] as const, country: HOME })),
  );
  return [
    ...spoofed,
    ...countryHeaders(STRANGER, []),
    ...[`for=${AMERICAN}`, `for="[${AMERICAN_6}]:443";proto=https`, `by=${PROXY};for=${AMERICAN}`].map(
      value => ({
        ...{ from: STRANGER, headers: [['forwarded', value]] as const, country: HOME },
      }),
    ),
  ];
}

/** What the client wrote first, and then what a proxy adds: where the client really is. */
function behindProxy(): Guise[] {
  const real = GERMAN.flatMap(address => [
    ...SPOOFS.flatMap(spoof => [
      [['x-forwarded-for', `${spoof}, ${address}`]] as const,
      // Two headers of the name are one list.
      [['x-forwarded-for', spoof] as const, ['x-forwarded-for', address] as const],
    ]),
  ]);
  return [
    ...real.map(headers => ({ from: PROXY, headers, country: HOME })),
    ...countryHeaders(PROXY, [['x-forwarded-for', GERMAN[0] as string]]),
    ...NAMES_OF_ADDRESSES.filter(name => name !== 'x-forwarded-for').map(name => ({
      ...{ from: PROXY, country: HOME },
      headers: [[name, AMERICAN] as const, ['x-forwarded-for', GERMAN[0] as string] as const],
    })),
  ];
}

function countryHeaders(from: string, more: readonly Header[]): Guise[] {
  return NAMES_OF_COUNTRIES.flatMap(name =>
    ['US', 'us', 'country_code=US', 'T1', 'XX'].map(value => ({
      ...{ from, headers: [[name, value] as const, ...more], country: HOME },
    })),
  );
}

/** That none of it was believed means something only where a proxy of ours is. */
async function believeProxy(caller: Caller, routes: readonly Route[], examples: string[]): Promise<Line> {
  let violations = 0;
  for (const route of routes) {
    const [here, there] = [
      await tell(caller, route, { from: PROXY, headers: [] }),
      await tell(caller, route, { from: PROXY, headers: [['x-forwarded-for', AMERICAN]] }),
    ];
    if (here !== there) continue;
    violations++;
    examples.push(`${route.name} says the same of callers in two countries: ${here}`);
  }
  return {
    fault: 'X9',
    what: 'what our proxy writes: believed',
    count: routes.length,
    violations,
    worst: '',
  };
}
