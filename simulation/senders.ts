/** Senders: the providers' webhooks, told once or often, late, out of order, not at all, or by somebody else. */
import type { Chance } from '../faults/bed/chance.ts';
import { type Keys, type Letter, type Posted, signLetter } from '../faults/bed/wire.ts';
import { ask } from './client.ts';
import { type Fleet, settingOf } from './fleet.ts';
import type { Instance } from './instance.ts';
import type { Journal } from './journal.ts';
import { pause, wholeSecond } from './machine/time.ts';
import { beginTale, type Provider, sayNext, type Tale, type Word } from './tales.ts';

export interface Senders {
  /** Everything a provider has said, by reference, and whether the service has acknowledged it. */
  told: ReadonlyMap<string, readonly Told[]>;
  /** Tells a tale from beginning to end. */
  tell(about: Pick<Tale, 'reference' | 'provider' | 'side'>, theirs: string): Promise<void>;
  /** Webhooks of nobody's orders that were acknowledged. */
  strange(): number;
  /** Sends one about an order that nobody has made. */
  sendStrange(): Promise<void>;
  /** Sends again, long after, what was taken once. */
  replay(): Promise<void>;
}

export interface Told extends Word {
  acknowledged: boolean;
  /** Whether it was sent at all. */
  isLost: boolean;
}

export interface SendersOptions {
  chance: Chance;
  journal: Journal;
  fleet: Fleet;
  instances(): readonly Instance[];
}

const MOST_COPIES = 5;
const TRIES = 60;
/** Just beyond what a clock may be off. */
const DISTANCE_S = 310;

export function openSenders({ chance, journal, fleet, instances }: SendersOptions): Senders {
  const told = new Map<string, Told[]>();
  let strange = 0;
  const posted: Posted[] = [];

  function post(letter: Word['letter']): Posted {
    if (letter.provider === 'guardarian')
      return { headers: { 'content-type': 'application/json' }, body: letter.text };
    return signLetter(letter, keysOf(fleet), wholeSecond() / 1000);
  }

  async function sendOnce(provider: Provider, posted: Posted): Promise<number> {
    const serving = instances().filter(({ state }) => state === 'serving');
    if (serving.length === 0) return 0;
    const { status } = await ask(chance.pick(serving).place, {
      method: 'POST',
      path: `/hooks/${provider}`,
      headers: posted.headers,
      body: String(posted.body),
    });
    return status;
  }

  /** Signed anew each time, until it is taken. */
  async function send(letter: Word['letter']): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const written = post(letter);
      const status = await sendOnce(letter.provider, written);
      if (letter.provider === 'moonpay' && status === 200) posted.push(written);
      journal.note(`webhook of ${letter.provider} ${status}`);
      if (status >= 200 && status < 300) return true;
      if (status === 401 || status === 400) journal.reach('an honest webhook refused for a while');
      if (tries > 0) journal.reach('a webhook tried again');
      await pause(chance.whole(500, 5_000));
    }
    return false;
  }

  async function deliver(one: Told): Promise<void> {
    const copies = chance.below(1) < 0.3 ? chance.whole(2, MOST_COPIES) : 1;
    if (copies > 1) journal.reach('a webhook sent several times');
    await Promise.all(
      Array.from({ length: copies }, async () => {
        const wait = chance.below(1) < 0.2 ? chance.whole(3_000, 12_000) : chance.whole(0, 400);
        if (wait > 1_000) journal.reach('a webhook late and out of order');
        await pause(wait);
        if (await send(one.letter)) one.acknowledged = true;
      }),
    );
  }

  /** What somebody else may try: never 2xx, but where webhooks prove nothing and are not believed either. */
  async function forge(word: Word): Promise<void> {
    const { provider } = word.letter;
    if (provider === 'guardarian') return;
    const { headers, body } = post(word.letter);
    const isOff = provider === 'moonpay' && chance.below(1) < 0.4;
    const shift = chance.pick([-DISTANCE_S, DISTANCE_S]);
    const forged = isOff
      ? signLetter(word.letter as Letter, keysOf(fleet), wholeSecond() / 1000 + shift)
      : spoil(provider, { headers, body: String(body) }, chance);
    const status = await sendOnce(provider, forged);
    journal.note(`forged webhook of ${provider} ${status}`);
    // An instance whose clock is an hour off may take one for the other.
    if (
      status === 0 ||
      status === 503 ||
      (isOff && instances().some(({ owner }) => Math.abs(owner.skewMs) > 1_000))
    )
      return;
    journal.reach(isOff ? 'a webhook signed for another moment' : 'a webhook forged');
    if (status < 400) journal.violate('F13', `a forged webhook of ${provider} was answered ${status}`);
  }

  return {
    told,
    strange: () => strange,
    async tell({ reference, provider, side }, theirs) {
      if (told.has(reference)) return;
      const tale = beginTale({ reference, provider, side, theirs }, chance);
      const said: Told[] = [];
      told.set(reference, said);
      fleet.learn(tale);
      const deliveries: Promise<void>[] = [];
      for (let at = 0; ; ) {
        at = Math.max(wholeSecond(), at + 1_000);
        const word = sayNext(tale, at, chance);
        if (!word) break;
        const isLost = chance.below(1) < 0.06;
        const one: Told = { ...word, acknowledged: false, isLost };
        said.push(one);
        journal.note(`${provider} says ${word.word}`);
        if (isLost) journal.reach('a webhook lost');
        else deliveries.push(deliver(one));
        if (chance.below(1) < 0.1) deliveries.push(forge(word));
        await pause(chance.whole(100, 3_000));
      }
      await Promise.all(deliveries);
    },
    async replay() {
      for (const written of posted.slice(0, 3)) {
        const status = await sendOnce('moonpay', written);
        if (status === 0) continue;
        journal.reach('a webhook replayed');
        if (status < 400) journal.violate('F14', `an old webhook was answered ${status}`);
      }
    },
    async sendStrange() {
      const reference = `01UNKNOWN${chance.hex(17).toUpperCase()}`;
      const tale = beginTale(
        { reference, provider: 'mercuryo', side: 'buy', theirs: chance.hex(16) },
        chance,
      );
      const word = sayNext(tale, wholeSecond(), chance);
      if (word && (await send(word.letter))) {
        strange++;
        journal.reach('a webhook of an unknown order');
      }
    },
  };
}

/** What each provider signs with at the moment. */
function keysOf(fleet: Fleet): Keys {
  return {
    moonpay: settingOf('moonpay', 'webhookKey'),
    mercuryo: settingOf('mercuryo', 'signKey'),
    transak: fleet.token(),
  };
}

/** Changes one thing that the signature covers, or the signature. */
function spoil(
  provider: Provider,
  { headers, body }: { headers: Posted['headers']; body: string },
  chance: Chance,
): Posted {
  const name = provider === 'moonpay' ? 'moonpay-signature-v2' : 'x-signature';
  const signature = headers[name];
  if (signature === undefined) {
    // Transak's stands in the body.
    const at = body.length - 12;
    return { headers, body: `${body.slice(0, at)}${body[at] === 'A' ? 'B' : 'A'}${body.slice(at + 1)}` };
  }
  if (chance.below(1) < 0.5)
    return { headers, body: body.replace(/\d(?=\D*$)/, digit => String((Number(digit) + 1) % 10)) };
  const last = signature.at(-1) === '0' ? '1' : '0';
  return { headers: { ...headers, [name]: `${signature.slice(0, -1)}${last}` }, body };
}
