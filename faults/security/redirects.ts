/** X5, redirects: addresses that would lead people of an account to somebody else. */
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import { type Caller, JSON_BODY } from './caller.ts';
import { type Scene, SHOP, WALLET } from './scene.ts';

const EVIL = 'evil.example';

/** None of these leads to the shop, and some only seem not to lead elsewhere. */
const CORPUS: readonly string[] = [
  ...[
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    `javascript://${SHOP}/%0aalert(1)`,
    'java\tscript:alert(1)',
  ],
  ...[
    'data:text/html,<script>alert(1)</script>',
    `data://${SHOP}/,x`,
    'vbscript:x',
    'blob:https://evil.example/1',
  ],
  ...[
    'file:///etc/passwd',
    `file://${SHOP}/etc/passwd`,
    `ftp://${SHOP}/`,
    `intent://${SHOP}/#Intent;end`,
    'about:blank',
  ],
  ...[`ws://${SHOP}/`, `wss://${SHOP}/`, `view-source:https://${SHOP}/`, `x://${SHOP}/`],
  ...[
    `//${EVIL}/`,
    `///${EVIL}/`,
    `////${EVIL}`,
    `/\\${EVIL}/`,
    `\\\\${EVIL}\\`,
    `//${SHOP}/`,
    `/${EVIL}`,
    EVIL,
    SHOP,
  ],
  ...[`https:${SHOP}`, `https:/${SHOP}`, `https:///${SHOP}/`, `https:\\\\${SHOP}\\`, `https:/\\${SHOP}`],
  ...[
    `https://${SHOP}@${EVIL}/`,
    `https://${SHOP}:443@${EVIL}/`,
    `https://user:word@${SHOP}/`,
    `https://@${SHOP}/`,
  ],
  ...[
    `https://${SHOP}%40${EVIL}/`,
    `https://${EVIL}#@${SHOP}/`,
    `https://${EVIL}?@${SHOP}/`,
    `https://${EVIL}/@${SHOP}`,
  ],
  ...[
    `https://${EVIL}\\@${SHOP}/`,
    `https://${SHOP}\\@${EVIL}/`,
    `https://${EVIL}\\.${SHOP}/`,
    `https://${SHOP}\\.${EVIL}/`,
  ],
  ...[
    `https://${SHOP}.${EVIL}/`,
    `https://evil${SHOP}/`,
    `https://${SHOP}evil/`,
    `https://sub.${SHOP}/`,
    `https://${SHOP}./`,
  ],
  ...[
    `https://${EVIL}/${SHOP}`,
    `https://${EVIL}/?${SHOP}`,
    `https://${EVIL}/#${SHOP}`,
    `https://${EVIL};${SHOP}/`,
  ],
  ...[`https://${SHOP}:8443/`, `https://${SHOP}:80/`, `https://${SHOP}:0/`, `https://${SHOP}:99999/`],
  ...[
    `http://${SHOP}/`,
    `HTTP://${SHOP}/`,
    `http://${EVIL}/`,
    `http://localhost/`,
    'http://127.0.0.1/',
    'http://[::1]/',
  ],
  ...[
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/',
  ],
  ...[
    `https://${SHOP}\r\nLocation: https://${EVIL}/`,
    `https://${SHOP}/\r\nSet-Cookie: a=b`,
    `https://${SHOP}/%0d%0a\n`,
  ],
  ...[
    `https://${SHOP}\u0000.${EVIL}/`,
    `https://${SHOP}\u0009/`,
    ` https://${SHOP}/`,
    `https://${SHOP}/ `,
    `\u200bhttps://${SHOP}/`,
  ],
  ...[
    `https://shop\u3002example.${EVIL}/`,
    `https://shop\u2024example/`,
    `https://sh\u043ep.example/`,
    `https://\u202e${SHOP}/`,
  ],
  ...[
    `https://shop.ex\u00e4mple/`,
    `https://shop.example\u2044.${EVIL}/`,
    `https://\uff53\uff48\uff4f\uff50.evil/`,
  ],
  ...[
    `https%253A%252F%252F${SHOP}%252F`,
    `https%253A%252F%252F${EVIL}%252F`,
    `https%3A%2F%2F${EVIL}%2F`,
    'https%3A%2F%2F',
  ],
  ...[
    `https://${SHOP}%2f${EVIL}/`,
    `https://${SHOP}%252f@${EVIL}/`,
    `https://${SHOP}%00.${EVIL}/`,
    `https://%65vil.example/`,
  ],
  ...[
    'https://',
    'https:',
    'https://?',
    'https://#',
    'https:// /',
    '',
    ' ',
    '\\',
    '/',
    '?',
    '#',
    'null',
    'undefined',
    '%',
    '%zz',
  ],
  ...[`["https://${SHOP}/"]`, `https://${SHOP},https://${EVIL}/`, `https://${SHOP} https://${EVIL}/`],
  `https://${SHOP}/${'a'.repeat(9_000)}`,
  `https://${'a.'.repeat(120)}${SHOP}/`,
];

/** Ways to write one address. */
const SPELLINGS: readonly (readonly [string, (url: string) => string])[] = [
  ['as it is', url => url],
  ['encoded once', url => encodeURIComponent(url)],
  ['encoded twice', url => encodeURIComponent(encodeURIComponent(url))],
];

/** What people are led by on their way; whatever else stands in the address is not for us. */
const LURES = [
  'redirect',
  'redirectUrl',
  'redirect_uri',
  'url',
  'next',
  'return',
  'returnTo',
  'back',
  'goto',
  'continue',
];
const AT_ONCE = 8;

export async function tryRedirects(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const examples: string[] = [];
  const lines = [
    await storeAll(scene, examples),
    await storeGood(scene, examples),
    await showAll(scene, examples),
    await followAll(scene, examples),
  ];
  return { lines, examples };
}

async function checkOut({ caller, own }: Scene, success: string): Promise<number> {
  const headers = [['authorization', own.publicKey] as const, JSON_BODY];
  const body = JSON.stringify({
    ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100, wallet: { address: WALLET } },
    supportedParams: { partnerData: { redirectUrl: { success } } },
  });
  return (await caller.call({ method: 'POST', path: '/checkout/intent', headers, body })).status;
}

/** With a checkout: none may be kept. */
async function storeAll(scene: Scene, examples: string[]): Promise<Line> {
  const tries = CORPUS.flatMap(url => SPELLINGS.map(([name, spell]) => ({ name, url, sent: spell(url) })));
  let accepted = 0;
  await each(tries, AT_ONCE, async ({ name, url, sent }) => {
    const status = await checkOut(scene, sent);
    if (status === 400) return;
    accepted++;
    examples.push(`${JSON.stringify(url)}, ${name}: answered ${status}`);
  });
  const rows = await scene.world.query<{ return_to: string }>(
    'select return_to from transactions where return_to is not null',
  );
  const strange = rows.filter(({ return_to: kept }) => !kept.startsWith(`https://${SHOP}/`));
  for (const { return_to: kept } of strange) examples.push(`kept: ${kept}`);
  return {
    ...{ fault: 'X5', what: 'way back of a checkout: stored', count: tries.length },
    violations: accepted + strange.length,
    worst: `${CORPUS.length} addresses in ${SPELLINGS.length} spellings`,
  };
}

/** That all of those were refused means something only when this is not. */
async function storeGood(scene: Scene, examples: string[]): Promise<Line> {
  const good = [
    `https://${SHOP}/`,
    `https://${SHOP}/done?order=7#top`,
    `HTTPS://SHOP.EXAMPLE/done`,
    `https://${SHOP}:443/`,
  ];
  const tries = good.flatMap(url => [url, encodeURIComponent(url)]);
  let violations = 0;
  for (const url of tries) {
    const status = await checkOut(scene, url);
    if (status === 200) continue;
    violations++;
    examples.push(`${url} leads to the shop, and was answered ${status}`);
  }
  return { fault: 'X5', what: 'ways back to the shop: kept', count: tries.length, violations, worst: '' };
}

/** In the widget's address: none may reach the page. */
async function showAll({ caller, own }: Scene, examples: string[]): Promise<Line> {
  let violations = 0;
  // Blanks around a parameter are nobody's.
  const corpus = CORPUS.filter(url => url === url.trim() && url !== '');
  await each(corpus, AT_ONCE, async url => {
    const query = new URLSearchParams({ apiKey: own.publicKey, redirectUrl: url.slice(0, 4_000) });
    const { status, text } = await caller.call({ path: `/widget?${query}` });
    const kept = /redirectUrl&quot;:(null|&quot;.*?&quot;)/.exec(text)?.[1];
    if (status === 200 && kept === 'null') return;
    violations++;
    examples.push(`the widget with ${JSON.stringify(url)}: ${status} ${kept}`);
  });
  return {
    fault: 'X5',
    what: 'way back in the widget’s address: shown',
    count: corpus.length,
    violations,
    worst: '',
  };
}

/** In any address of ours: nobody is led there. */
async function followAll({ caller, own, things }: Scene, examples: string[]): Promise<Line> {
  const { payToken } = things;
  const pages = [
    '/',
    '/docs',
    '/widget',
    `/pay/${payToken}`,
    `/pay/${payToken}/return`,
    '/supported',
    '/health/live',
  ];
  const lured = pages.flatMap(page =>
    LURES.map(lure => `${page}?apiKey=${own.publicKey}&${lure}=${encodeURIComponent(`https://${EVIL}/`)}`),
  );
  const bent = ['//', '/%2f/', '/%5c', '/\\', '/.', '/..;/', '/%09/', '///'].flatMap(start => [
    `${start}${EVIL}`,
    `${start}${EVIL}/`,
    `${start}${EVIL}/..`,
    `${start}${EVIL}/%2e%2e`,
  ]);
  const tries = [...lured, ...bent];
  let violations = 0;
  await each(tries, AT_ONCE, async path => {
    const flaw = await leadsAway(caller, path);
    if (!flaw) return;
    violations++;
    examples.push(`${path}: ${flaw}`);
  });
  return {
    fault: 'X5',
    what: 'addresses of ours that lead elsewhere',
    count: tries.length,
    violations,
    worst: '',
  };
}

async function leadsAway(caller: Caller, path: string): Promise<string | undefined> {
  const { headers, text } = await caller.call({ path, headers: [['accept', 'text/html']] });
  if (headers.location?.includes(EVIL)) return `leads to ${headers.location}`;
  if (headers.refresh !== undefined) return `refreshes to ${headers.refresh}`;
  const link = new RegExp(`(href|src|action)="[^"]*//${EVIL}`).exec(text)?.[0];
  return link && `links: ${link}`;
}
