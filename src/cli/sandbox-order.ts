/** The person at a stand-in, played: an order goes to its end through the stand-in's own pages, without a browser. */
import { setTimeout as wait } from 'node:timers/promises';
import { badInput, Fault } from '../domain/fault.ts';

/** The buttons of the sandbox, which every page of a stand-in has. */
export const ENDINGS = ['complete', 'fail', 'expire', 'refund'] as const;

export type Ending = (typeof ENDINGS)[number];

const BEAT_MS = 250;
const PATIENCE_MS = 30_000;
const REQUEST_MS = 10_000;

/** Where the order of a pay page stands in the end; `onStatus` hears of every status it is seen in. */
export async function playOrder(
  payUrl: string,
  ending: Ending,
  onStatus: (status: string) => void,
): Promise<string> {
  const address = readAddress(payUrl);
  let status = await statusOf(address);
  onStatus(status);
  const url = await openStandin(address);
  // Only what was delivered can be taken back.
  for (const move of ending === 'refund' ? (['complete', 'refund'] as const) : [ending]) {
    await press(url, move);
    status = await follow(address, { before: status, onStatus });
  }
  return status;
}

async function press(url: string, move: Ending): Promise<void> {
  const shown = await ask(url);
  const button = new RegExp(`formaction="([^"]*)" data-action="${move}"`).exec(await shown.text());
  if (!button) throw new Fault('conflict', `the stand-in has no way to ${move} this order now`);
  await ask(new URL(button[1] ?? '', shown.url).href, { method: 'POST' });
}

function readAddress(payUrl: string): string {
  const url = URL.canParse(payUrl) ? new URL(payUrl) : undefined;
  if (url && /^https?:$/.test(url.protocol) && /\/pay\/[^/]+$/.test(url.pathname))
    return url.origin + url.pathname;
  throw badInput('url', 'name the url that the checkout answered: http://…/pay/…');
}

/** Goes on to the provider as the pay page's own button does, and makes sure that it is a stand-in; its page there. */
async function openStandin(address: string): Promise<string> {
  const opened = await ask(`${address}/open`, {
    method: 'POST',
    headers: { origin: new URL(address).origin },
  });
  const { url } = (await opened.json()) as { url: string };
  const shown = await ask(url);
  if (!(await shown.text()).includes('<aside class="tools"'))
    throw new Fault('conflict', 'this order is at no stand-in: play the person at the provider itself');
  return shown.url;
}

interface Following {
  before: string;
  onStatus(status: string): void;
}

/** News comes by webhook, so that it takes a moment. */
async function follow(address: string, { before, onStatus }: Following): Promise<string> {
  const until = Date.now() + PATIENCE_MS;
  let last = before;
  while (Date.now() < until) {
    await wait(BEAT_MS);
    const status = await statusOf(address);
    if (status !== last) onStatus(status);
    last = status;
    if (status !== before && ENDED.has(status)) return status;
  }
  throw new Fault('providerLate', `the order is still ${last}`);
}

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled', 'expired', 'refunded']);

async function statusOf(address: string): Promise<string> {
  const { status } = (await (await ask(`${address}/state`)).json()) as { status: string };
  return status;
}

async function ask(url: string, options: RequestInit = {}): Promise<Response> {
  const { origin } = new URL(url);
  const response = await fetch(url, { ...options, signal: AbortSignal.timeout(REQUEST_MS) }).catch(() => {
    throw new Fault('unavailable', `nothing answers at ${origin}: is the service running?`);
  });
  if (response.ok) return response;
  const { message } = (await response.json().catch(() => ({}))) as { message?: string };
  throw new Fault('conflict', message ?? `${origin} answered ${response.status}`);
}
