/** Deliveries: webhooks on their way from the stand-ins to the service, and what goes wrong with them on request. */
import type { ProviderId } from '../domain/words.ts';
import type { OutgoingWebhook } from '../providers/world.ts';
import { type Chance, shuffle } from './chance.ts';
import type { SandboxFault } from './faults.ts';
import type { Timers } from './timers.ts';

export interface Deliveries {
  /** The base URL of the service; what could not be delivered before is tried again as any other. */
  deliverTo(url: string): void;
  send(provider: ProviderId, webhook: OutgoingWebhook): void;
  close(): void;
}

export interface DeliveriesOptions {
  timers: Timers;
  chance: Chance;
  faultOf(provider: ProviderId): SandboxFault;
}

/** After each try that failed; the first try and these make five. */
const WAITS_MS = [1_000, 4_000, 16_000, 64_000];
/** How long shuffled ones are held, so that there is something to shuffle. */
const HOLD_MS = 4_000;
const PATIENCE_MS = 10_000;
/** More than this under way at once, and new ones are lost. */
const MOST = 10_000;

export function createDeliveries({ timers, chance, faultOf }: DeliveriesOptions): Deliveries {
  const closing = new AbortController();
  const held = new Map<ProviderId, OutgoingWebhook[]>();
  let service: string | undefined;
  let underWay = 0;

  /** One delivery from its first try to its last. */
  async function deliver(provider: ProviderId, webhook: OutgoingWebhook): Promise<void> {
    if (underWay >= MOST) return;
    underWay++;
    await attempt(provider, webhook, 0);
  }

  async function attempt(provider: ProviderId, webhook: OutgoingWebhook, tried: number): Promise<void> {
    const received = await post(provider, webhook);
    const wait = WAITS_MS[tried];
    if (received || wait === undefined) underWay--;
    else timers.later(wait, () => void attempt(provider, webhook, tried + 1));
  }

  async function post(provider: ProviderId, webhook: OutgoingWebhook): Promise<boolean> {
    const { to = provider, search = '', headers, body, received } = webhook;
    if (service === undefined) return false;
    try {
      const { status, body: answer } = await fetch(`${service}/hooks/${to}${search}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(PATIENCE_MS)]),
      });
      await answer?.cancel();
      return received ? received.includes(status) : status >= 200 && status < 300;
    } catch {
      return false;
    }
  }

  /** The first one held starts the time, at whose end all of them go, one after the other. */
  function hold(provider: ProviderId, webhook: OutgoingWebhook): void {
    const others = held.get(provider);
    if (others) return void others.push(webhook);
    held.set(provider, [webhook]);
    timers.later(HOLD_MS, async () => {
      const all = held.get(provider) ?? [];
      held.delete(provider);
      for (const one of shuffle(all, chance)) await deliver(provider, one);
    });
  }

  return {
    deliverTo(url) {
      service = url.replace(/(?<!\/)\/+$/, '');
    },
    send(provider, webhook) {
      const { kind, ms } = faultOf(provider);
      if (kind === 'webhooks-lost') return;
      if (kind === 'webhooks-shuffled') return hold(provider, webhook);
      if (kind === 'webhooks-late') return timers.later(ms, () => void deliver(provider, webhook));
      // Whoever forges does not come back with the same.
      if (kind === 'webhooks-forged') return void post(provider, forge(webhook));
      const times = kind === 'webhooks-twice' ? 2 + chance(3) : 1;
      for (let time = 0; time < times; time++) void deliver(provider, webhook);
    },
    close: () => closing.abort(),
  };
}

/** The same with one bit of its signature wrong, wherever the signature stands. */
function forge(webhook: OutgoingWebhook): OutgoingWebhook {
  const { signature, headers, body } = webhook;
  const middle = signature.length >> 1;
  const wrong =
    signature.slice(0, middle) + neighbour(signature.charAt(middle)) + signature.slice(middle + 1);
  const spoil = (text: string) => text.replaceAll(signature, wrong);
  return {
    ...webhook,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, spoil(value)])),
    body: spoil(body),
  };
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The digit that differs in the lowest bit, in hexadecimal as in base 64. */
function neighbour(digit: string): string {
  return DIGITS.charAt(DIGITS.indexOf(digit) ^ 1);
}
