/** Headers of the pay page: what it may load, frame and be framed by, and which powers it hands on. */
import type { Framers } from '../../app/flows.ts';
import type { PayView } from '../../app/pay.ts';
import { POWERS } from '../powers.ts';
import { contentSecurity } from '../security.ts';

export interface Place {
  /** Our own origin, as people see it. */
  origin: string;
  /** Path of this order's page. */
  path: string;
  /** Makes the page's one inline style sheet ours. */
  nonce: string;
}

/** Whether the provider's page may stand inside ours. Never one of our own origin: a sandbox would not hold it. */
export function isFramed({ opens, pageOrigin }: PayView, origin: string): boolean {
  return opens === 'iframe' && isOrigin(pageOrigin) && pageOrigin !== origin;
}

export function payHeaders(view: PayView, { origin, path, nonce }: Place): Record<string, string> {
  const page = isOrigin(view.pageOrigin) ? [view.pageOrigin] : [];
  return {
    ...COMMON,
    // A shop that opened us in a window of its own sees when it is closed, and the provider's window reaches back.
    'cross-origin-opener-policy': 'unsafe-none',
    'permissions-policy': permissionsPolicy(view, origin),
    'content-security-policy': contentSecurity({
      ...pageSources(nonce),
      'connect-src': ["'self'"],
      // The provider's page leads back to our return page inside the same frame, and to nothing else of ours.
      'frame-src': isFramed(view, origin) ? [...page, `${origin}${path}/return`] : [],
      'form-action': ["'self'", ...page],
      // Our own widget shows it; browsers ask of every page around that too.
      'frame-ancestors': ["'self'", ...ancestorsOf(view)],
    }),
  };
}

/** The return page stands in our frame or in the provider's window: it keeps its opener. */
export function returnHeaders(view: PayView, { nonce }: Pick<Place, 'nonce'>): Record<string, string> {
  return backHeaders(["'self'", ...ancestorsOf(view)], nonce);
}

/** The page where a step leads back to stands in the frame or the window that shows the step. */
export function stepBackHeaders(framers: Framers, nonce: string): Record<string, string> {
  return backHeaders(framersOf(framers, framers.registered), nonce);
}

function backHeaders(ancestors: readonly string[], nonce: string): Record<string, string> {
  return {
    ...COMMON,
    'cross-origin-opener-policy': 'unsafe-none',
    'permissions-policy': CLOSED,
    'content-security-policy': contentSecurity({
      ...pageSources(nonce),
      'form-action': [],
      'frame-ancestors': ancestors,
    }),
  };
}

/**
 * Whom an order by steps tells what comes next: the origin of the page that shows the steps, or nothing when no origin
 * came with its first answer. The page asks the browser then; whoever frames or opens us had our secret address already.
 * Undefined for other orders.
 */
export function listenerOf({ handover }: PayView): string | undefined {
  return handover && addressOf(handover.embedder);
}

/** Where a message to a page of this origin is addressed, if anywhere: sandboxed frames and apps have origins that none can be sent to. */
export function addressOf(embedder: string | undefined): string {
  return embedder !== undefined && isOrigin(embedder) ? embedder : '';
}

/** What may frame the page. */
function ancestorsOf({ handover, ancestors }: PayView): string[] {
  return handover ? framersOf(handover, ancestors) : originsOf(ancestors);
}

/** What may frame a page between steps: browsers ask it of every page around it, so that all of them must be named. */
function framersOf(
  { embedder, around }: Omit<Framers, 'registered'>,
  registered: readonly string[],
): string[] {
  const listener = addressOf(embedder);
  if (listener === '') return ['*'];
  return originsOf([listener, ...(around === undefined ? [] : [around]), ...registered]);
}

/** The page that says what went wrong tells nothing of anybody and leads only to the order's own page, which guards itself. */
export function troubleHeaders(nonce: string): Record<string, string> {
  return {
    ...COMMON,
    'cross-origin-opener-policy': 'same-origin-allow-popups',
    'permissions-policy': CLOSED,
    'content-security-policy': contentSecurity({
      ...pageSources(nonce),
      'form-action': [],
      // Whoever frames us is not known while the order is not: refused, their page would show the browser's words for ours.
      'frame-ancestors': ['*'],
    }),
  };
}

const COMMON = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // Providers want to know the origin; the rest of the address is a secret.
  'referrer-policy': 'origin',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
  'cross-origin-resource-policy': 'same-origin',
};

function pageSources(nonce: string): Record<string, readonly string[]> {
  return {
    'default-src': [],
    'script-src': ["'self'"],
    'style-src': ["'self'", `'nonce-${nonce}'`],
    'img-src': ["'self'", 'data:'],
    'base-uri': [],
  };
}

/** All other powers that browsers know. */
const OTHERS = [
  'browsing-topics',
  'clipboard-read',
  'display-capture',
  'hid',
  'idle-detection',
  'magnetometer',
  'midi',
  'picture-in-picture',
  'publickey-credentials-create',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
];
const CLOSED = [...POWERS, ...OTHERS].map(name => `${name}=()`).join(', ');

/** What a page of ours needs to have in order to hand it on to another of ours. */
export const OWN_POWERS = [...POWERS]
  .map(name => `${name}=(self)`)
  .concat(OTHERS.map(name => `${name}=()`))
  .join(', ');

/** What the frame's `allow` says: each power, for the provider's origin only. */
export function framePermissions({ permissions, pageOrigin }: PayView): string {
  return granted(permissions)
    .map(name => `${name} ${pageOrigin}`)
    .join('; ');
}

function permissionsPolicy(view: PayView, origin: string): string {
  const given = new Set(isFramed(view, origin) ? granted(view.permissions) : []);
  const scope = (name: string) => {
    if (given.has(name)) return `(self "${view.pageOrigin}")`;
    // The page itself copies addresses.
    return name === 'clipboard-write' ? '(self)' : '()';
  };
  return [...POWERS, ...OTHERS].map(name => `${name}=${scope(name)}`).join(', ');
}

function granted(permissions: readonly string[]): string[] {
  return [...new Set(permissions)].filter(name => POWERS.includes(name));
}

/** Those that are origins and nothing more, so that none can end a directive and begin another. */
export function originsOf(list: readonly string[]): string[] {
  return [...new Set(list)].filter(isOrigin);
}

const ORIGIN = /^https?:\/\/(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})(:\d{1,5})?$/;

function isOrigin(text: string): boolean {
  return ORIGIN.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
