/** Moves: what a person can do on a hosted page and where it leads, one state machine for every provider. */

/*
 * A move is asked for by `POST /flow/<id>/<move>`; its button carries the same word as `data-action`:
 *   email, code, identity, document, card, approve, refuse, retry, give-up, sent, wallet, wallet-decline, payout,
 *   deposit, deposit-refund, cancel; in the panel of the sandbox complete, fail, expire, refund.
 * The link back to the partner is `data-action="return"`. Fields by `name`:
 *   email; code; first, last, birthdate, street, city, postcode, country; kind; number, expiry, cvc; account.
 * `main` carries `data-stage` and `data-standing`. A move that does not fit the page is ignored, so that going back or
 * pressing twice does no harm.
 */
import { member } from '../domain/words.ts';
import { type Brand, ENDS, type Flow, type Intent, type Stage, type Standing } from './hosted.ts';
import { digitsOf, flawOfCard, outcomeOf } from './hosted-cards.ts';
import type { StandinRequest, World } from './world.ts';

/** How long each thing takes that nobody has to do anything for. */
export const STEP_MS = 800;
/** How long an order waits for the person. */
export const LIFE_MS = 30 * 60_000;

/** Whose pages, and in which world. */
interface Setting {
  brand: Brand;
  world: World;
}

/** What a move can see besides the flow. */
interface Scene extends Setting {
  form: StandinRequest['form'];
}

type Move = (flow: Flow, scene: Scene) => Flow;

/** Begins a flow, which expires on its own when nothing comes of it. */
export function begin(intent: Intent, { brand, world }: Setting): Flow {
  const { now } = world;
  const id = world.id();
  const flow: Flow = {
    ...intent,
    ...{ id, stage: 'email', standing: 'none', createdAt: now, updatedAt: now, history: [] },
  };
  world.orders.put(id, flow);
  world.later(LIFE_MS, then => replace(id, latest => abandon(latest, then), { brand, world: then }));
  return flow;
}

/** Makes a move, if it is one that can be made now. */
export function move(id: string, word: string, scene: Scene): void {
  replace(
    id,
    flow => {
      const made = member(MOVES[flow.stage], word) ?? member(TOOLS, word);
      return made?.(flow, scene) ?? flow;
    },
    scene,
  );
}

interface End {
  standing: Standing;
  reason: string;
}

/** Ends an order from outside its pages, when it has not ended yet. */
export function endOrder({ id }: Flow, how: End, setting: Setting): void {
  replace(id, flow => end(flow, how, setting.world), setting);
}

/** Puts what `change` makes of a flow in its place, says what is new, and has the rest follow by itself. */
function replace(id: string, change: (flow: Flow) => Flow, { brand, world }: Setting): void {
  const before = world.orders.get(id);
  const after = before && change(before);
  if (!after || after === before) return;
  world.orders.put(id, after);
  for (const [at, said] of after.history.entries()) {
    if (at < before.history.length) continue;
    const then = {
      ...after,
      standing: said.standing,
      updatedAt: said.at,
      history: after.history.slice(0, at + 1),
    };
    for (const webhook of brand.tell(then, world)) world.notify(webhook);
  }
  const { standing } = after;
  if (standing === before.standing || !NEXT[standing]) return;
  world.later(STEP_MS, then => {
    const goOn = (flow: Flow) => (flow.standing === standing ? carryOn(flow, then) : flow);
    replace(id, goOn, { brand, world: then });
  });
}

/** What follows without anyone's doing. */
const NEXT: Partial<Record<Standing, Standing>> = {
  verifying: 'paid',
  paid: 'sending',
  sending: 'completed',
};

function carryOn(flow: Flow, world: World): Flow {
  const next = NEXT[flow.standing];
  if (!next) return flow;
  if (next !== 'completed') return enter(flow, next, world);
  return flow.payoutFails
    ? end(flow, { standing: 'refunded', reason: 'The payout was rejected by the bank' }, world)
    : { ...enter(flow, next, world), stage: 'end' };
}

/** Money that is on its way is waited for; where nothing was ordered, nothing is said. */
function abandon(flow: Flow, world: World): Flow {
  if (flow.standing === 'none') return { ...flow, stage: 'end', standing: 'expired' };
  return NEXT[flow.standing] ? flow : expire(flow, world);
}

function enter(flow: Flow, standing: Standing, { now }: World): Flow {
  const history = [...flow.history, { standing, at: now }];
  return { ...flow, standing, history, updatedAt: now, problem: undefined };
}

function end(flow: Flow, { standing, reason }: End, world: World): Flow {
  return ENDS.has(flow.standing) ? flow : { ...enter(flow, standing, world), stage: 'end', reason };
}

function expire(flow: Flow, world: World): Flow {
  return end(flow, { standing: 'expired', reason: 'Nothing was received in time' }, world);
}

function to(stage: Stage): (flow: Flow) => Flow {
  return flow => ({ ...flow, stage, problem: undefined });
}

function wrong(flow: Flow, problem: string): Flow {
  return { ...flow, problem };
}

/** After the person is known: to the payment of a buy, to the account for the payout of a sell. */
function known(flow: Flow, { world }: Scene): Flow {
  if (flow.blocked) return to('blocked')(flow);
  if (flow.deal.side === 'sell') return to('payout')(flow);
  return { ...enter(flow, 'awaiting', world), stage: flow.means };
}

function paid(flow: Flow, { world }: Scene): Flow {
  return { ...enter(flow, 'paid', world), stage: 'progress' };
}

function declined(flow: Flow, reason: string): Flow {
  return { ...flow, stage: 'declined', reason, problem: undefined };
}

const cancel: Move = (flow, { world }) =>
  end(flow, { standing: 'canceled', reason: 'Cancelled by the customer' }, world);

const deposit =
  (payoutFails: boolean): Move =>
  (flow, { world }) => ({ ...enter(flow, 'verifying', world), stage: 'progress', payoutFails });

const MOVES: Readonly<Record<Stage, Readonly<Record<string, Move>>>> = {
  email: {
    cancel,
    email: (flow, { form }) =>
      /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(read(form, 'email'))
        ? { ...to('code')(flow), email: read(form, 'email') }
        : wrong(flow, 'Enter an e-mail address'),
  },
  code: {
    cancel,
    code(flow, scene) {
      const code = read(scene.form, 'code').replaceAll(' ', '');
      if (!/^\d{6}$/.test(code)) return wrong(flow, 'The code has six digits');
      if (code === WRONG_CODE) return wrong(flow, 'The code is not right');
      return flow.knowing === 'nothing' ? known(flow, scene) : to('identity')(flow);
    },
  },
  identity: {
    cancel,
    identity(flow, scene) {
      const missing = IDENTITY.find(name => !read(scene.form, name));
      if (missing) return wrong(flow, 'Fill in every field');
      if (!/^\d{4}-\d\d-\d\d$/.test(read(scene.form, 'birthdate'))) {
        return wrong(flow, 'Enter the date of birth as year-month-day');
      }
      const country = scene.world.currencies.findCountry(read(scene.form, 'country'))?.code ?? flow.country;
      if (/^deny$/i.test(read(scene.form, 'first')) || /^deny$/i.test(read(scene.form, 'last'))) {
        return end(flow, { standing: 'failed', reason: 'Identity verification was rejected' }, scene.world);
      }
      const next = { ...flow, country };
      return flow.knowing === 'document' ? to('document')(next) : known(next, scene);
    },
  },
  document: {
    cancel,
    document: (flow, scene) =>
      read(scene.form, 'kind') ? known(flow, scene) : wrong(flow, 'Choose a document'),
  },
  blocked: { cancel },
  card: {
    cancel,
    card(flow, scene) {
      const { form, brand, world } = scene;
      const card = { number: read(form, 'number'), expiry: read(form, 'expiry'), code: read(form, 'cvc') };
      const flaw = flawOfCard(card, world.now);
      if (flaw) return wrong(flow, flaw);
      const charged = { ...flow, account: digitsOf(card.number).slice(-4) };
      const outcome = outcomeOf(card, brand);
      if (outcome === 'declined') return declined(charged, 'The card was declined by its bank');
      if (outcome === 'approved') return paid(charged, scene);
      const asked = flow.standing === 'authorizing' ? charged : enter(charged, 'authorizing', world);
      return to('secure')(asked);
    },
  },
  secure: {
    cancel,
    approve: (flow, scene) =>
      read(scene.form, 'code') ? paid(flow, scene) : wrong(flow, 'Enter the code from your bank'),
    refuse: flow => declined(flow, '3-D Secure authentication failed'),
  },
  declined: {
    cancel,
    retry: flow => ({ ...to(flow.means)(flow), reason: undefined }),
    'give-up': (flow, { world }) =>
      end(flow, { standing: 'failed', reason: flow.reason ?? 'The payment was declined' }, world),
  },
  bank: {
    cancel,
    sent: (flow, { world }) => ({ ...enter(flow, 'verifying', world), stage: 'progress' }),
  },
  wallet: {
    cancel,
    wallet: paid,
    'wallet-decline': flow => declined(flow, 'The payment was declined'),
  },
  payout: {
    cancel,
    payout(flow, { form, world }) {
      const account = read(form, 'account').replace(/[\s-]/g, '');
      if (!/^[A-Za-z0-9]{5,34}$/.test(account)) return wrong(flow, 'Enter where the money should go');
      return { ...enter(flow, 'awaiting', world), stage: 'deposit', account: account.slice(-4) };
    },
  },
  deposit: { cancel, deposit: deposit(false), 'deposit-refund': deposit(true) },
  progress: {},
  end: {},
};

/** What the sandbox can make happen on any page; ends stay ends. */
const TOOLS: Readonly<Record<string, Move>> = {
  complete: (flow, { world }) =>
    ENDS.has(flow.standing) ? flow : { ...throughTo(flow, world), stage: 'end', reason: undefined },
  fail: (flow, { world }) => end(flow, { standing: 'failed', reason: 'Failed by the sandbox' }, world),
  expire: (flow, { world }) => expire(flow, world),
  refund: (flow, { brand, world }) =>
    flow.standing === 'completed' && flow.deal.side === 'buy' && brand.refundsBuys
      ? { ...enter(flow, 'refunded', world), reason: 'Refunded by the sandbox' }
      : flow,
};

/** Nothing of what lies between is left out. */
function throughTo(flow: Flow, world: World): Flow {
  const left = ALL_THE_WAY.slice(ALL_THE_WAY.indexOf(flow.standing) + 1);
  return left
    .filter(standing => standing !== 'authorizing' && standing !== 'verifying')
    .reduce((soFar, standing) => enter(soFar, standing, world), flow);
}

const ALL_THE_WAY: readonly Standing[] = [
  'none',
  'awaiting',
  'authorizing',
  'verifying',
  'paid',
  'sending',
  'completed',
];

const WRONG_CODE = '000000';
const IDENTITY = ['first', 'last', 'birthdate', 'street', 'city', 'postcode', 'country'];
const MOST_CHARACTERS = 200;

function read(form: StandinRequest['form'], name: string): string {
  return (form[name] ?? '').trim().slice(0, MOST_CHARACTERS);
}
