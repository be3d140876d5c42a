/** The hosted pages, one for each stage of a flow; what a button does stands beside the moves. */
import type { Amount } from '../domain/money.ts';
import { type Brand, ENDS, type Flow, type Stage, type Standing } from './hosted.ts';
import { depositOf, hashOf } from './hosted-chain.ts';
import {
  BANK_CODE_FIELDS,
  type Button,
  CARD_FIELDS,
  CODE_FIELDS,
  DOCUMENT_FIELDS,
  emailFields,
  form,
  IBAN,
  identityFields,
  payoutFields,
  referenceOf,
} from './hosted-forms.ts';
import { html, type Markup, type Page } from './hosted-markup.ts';
import { filled } from './standin-kit.ts';
import type { World } from './world.ts';

/** What a page is drawn from. */
interface Scene {
  flow: Flow;
  brand: Brand;
  world: World;
  /** Where its forms are sent: the path of the flow. */
  path: string;
}

/** The page the person is on. */
export function pageOf(scene: Scene): Page {
  const { flow, brand } = scene;
  const title =
    flow.stage === 'end' ? ENDINGS[flow.standing] : (brand.titles[flow.stage] ?? TITLES[flow.stage]);
  const body = html`${flow.problem !== undefined && html`<p class="problem" role="alert">${flow.problem}</p>`}
${BODIES[flow.stage](scene)}
${CANCELLABLE.has(flow.stage) && form(scene.path, [], { move: 'cancel', says: 'Cancel', look: 'quiet' })}`;
  return { title: title ?? 'Done', body, tools: toolsOf(scene) };
}

/** A page that tells why there is none. */
export function refusalOf(message: string): Page {
  return { title: 'This page cannot be opened', body: html`<p class="problem" role="alert">${message}</p>` };
}

const TITLES: Readonly<Record<Stage, string>> = {
  email: 'Sign in',
  code: 'Check your e-mail',
  identity: 'About you',
  document: 'Verify your identity',
  blocked: 'Payment is not possible',
  card: 'Pay by card',
  secure: '3-D Secure',
  declined: 'Payment declined',
  bank: 'Pay by bank transfer',
  wallet: 'Confirm your payment',
  payout: 'Where should the money go?',
  deposit: 'Send your coins',
  progress: 'Your order is being processed',
  end: 'Done',
};

const ENDINGS: Partial<Record<Standing, string>> = {
  completed: 'Your order is complete',
  failed: 'Your order has failed',
  canceled: 'Your order was cancelled',
  expired: 'Your order has expired',
  refunded: 'Your order was refunded',
};

const CANCELLABLE: ReadonlySet<Stage> = new Set<Stage>([
  ...(['email', 'code', 'identity', 'document', 'blocked', 'card'] as const),
  ...(['secure', 'declined', 'bank', 'wallet', 'payout', 'deposit'] as const),
]);

const BODIES: Readonly<Record<Stage, (scene: Scene) => Markup>> = {
  email: scene =>
    html`${summary(scene)}${form(scene.path, emailFields(scene.flow), { move: 'email', says: 'Continue' })}`,
  code: ({ flow, path }) =>
    html`<p>We sent a code to ${flow.email}.</p>${form(path, CODE_FIELDS, { move: 'code', says: 'Verify' })}`,
  identity: ({ flow, path, world }) =>
    form(path, identityFields(flow, world), { move: 'identity', says: 'Continue' }),
  document: ({ path }) =>
    html`<p>For this amount we have to see a document and a photo of you.</p>${form(path, DOCUMENT_FIELDS, {
      move: 'document',
      says: 'Upload and continue',
    })}`,
  blocked: ({ flow }) => html`<p class="problem" role="alert">${flow.blocked}</p>`,
  card: scene =>
    html`${summary(scene)}${form(scene.path, CARD_FIELDS, { move: 'card', says: payWords(scene) })}`,
  secure: scene =>
    html`<p>Your bank wants to be sure that it is you who pays ${fiatOf(scene, scene.flow.deal.pays)} to
${scene.brand.name} with the card ending in ${scene.flow.account}.</p>${form(
      scene.path,
      BANK_CODE_FIELDS,
      { move: 'approve', says: 'Approve' },
      { move: 'refuse', says: 'Refuse', look: 'plain' },
    )}`,
  declined: ({ flow, path }) =>
    html`<p class="problem" role="alert">${flow.reason}</p>${form(
      path,
      [],
      { move: 'retry', says: flow.means === 'card' ? 'Try another card' : 'Try again' },
      { move: 'give-up', says: 'Give up', look: 'plain' },
    )}`,
  bank: scene =>
    html`<p>Send the money from an account in your name.</p>${facts([
      ['Amount', fiatOf(scene, scene.flow.deal.pays)],
      ['Recipient', `${scene.brand.name} Sandbox`],
      ['IBAN', html`<code>${IBAN}</code>`],
      ['Reference', html`<code>${referenceOf(scene.flow)}</code>`],
    ])}${form(scene.path, [], { move: 'sent', says: 'I have sent it' })}`,
  wallet: scene =>
    html`${summary(scene)}${form(
      scene.path,
      [],
      { move: 'wallet', says: payWords(scene) },
      { move: 'wallet-decline', says: 'Decline the payment', look: 'plain' },
    )}`,
  payout: scene =>
    html`${summary(scene)}${form(scene.path, payoutFields(scene.flow), { move: 'payout', says: 'Continue' })}`,
  deposit: depositBody,
  progress: progressBody,
  end: endBody,
};

function payWords(scene: Scene): string {
  return `Pay ${fiatOf(scene, scene.flow.deal.pays)}`;
}

function depositBody(scene: Scene): Markup {
  const { flow, brand, world } = scene;
  const { address, memo } = depositOf(flow, world);
  const network = world.currencies.networks.get(flow.deal.asset.network)?.name ?? flow.deal.asset.network;
  return html`<p>Send exactly this amount. The payout follows when it has arrived.</p>${facts([
    ['Amount', `${flow.deal.pays} ${flow.deal.asset.code}`],
    ['Network', network],
    ['Address', html`<code>${address}</code>`],
    ...(memo ? [['Memo', html`<code>${memo}</code>`] as const] : []),
    ['You get', fiatOf(scene, flow.deal.gets)],
  ])}<p><strong>Sandbox: nobody has the key of this address. Send nothing to it.</strong></p>
${form(
  scene.path,
  [],
  { move: 'deposit', says: 'Simulate the deposit' },
  { move: 'deposit-refund', says: 'Simulate a deposit whose payout fails', look: 'plain' },
)}${brand.returnsForDeposit && backLink(scene, 'Continue in your wallet', 'plain')}`;
}

function progressBody({ flow }: Scene): Markup {
  const isBuy = flow.deal.side === 'buy';
  const steps: readonly (readonly [Standing, string])[] = [
    ['verifying', isBuy ? 'Payment' : 'Deposit'],
    ['paid', 'Exchange'],
    ['sending', isBuy ? `Delivery of your ${flow.deal.asset.code}` : 'Payout'],
  ];
  const now = steps.findIndex(([standing]) => standing === flow.standing);
  const drawn = steps.map(
    ([, says], at) => html`<li class="${at < now ? 'done' : at === now ? 'now' : 'next'}">${says}</li>`,
  );
  return html`<ol>${drawn}</ol><p>This page follows along by itself.</p>`;
}

function endBody(scene: Scene): Markup {
  const { flow, world } = scene;
  const { side } = flow.deal;
  const delivered = flow.standing === 'completed';
  const shown: Fact[] = [
    ['Order', html`<code>${flow.order}</code>`],
    ...(delivered ? amountsOf(scene) : []),
    ...(delivered && side === 'buy'
      ? [['Transaction', html`<code>${hashOf('delivery', flow, world)}</code>`] as const]
      : []),
    ...(flow.standing === 'refunded' && side === 'sell'
      ? [['Refund', html`<code>${hashOf('refund', flow, world)}</code>`] as const]
      : []),
    ...(flow.reason && !delivered ? [['Reason', flow.reason] as const] : []),
  ];
  return html`${facts(shown)}${backLink(scene, 'Return to the shop')}`;
}

type Fact = readonly [label: string, what: string | Markup];

function facts(shown: readonly Fact[]): Markup {
  const rows = shown.map(
    ([label, what]) =>
      html`<dt>${label}</dt><dd${typeof what === 'object' && html` class="small"`}>${what}</dd>`,
  );
  return html`<dl>${rows}</dl>`;
}

/** What is paid, charged and received, and where it goes. */
function summary(scene: Scene): Markup {
  const { fee, networkFee } = scene.flow.deal;
  const { wallet, deal } = scene.flow;
  const to = deal.side === 'buy' && wallet ? [['To', html`<code>${wallet}</code>`] as const] : [];
  return facts([
    ...amountsOf(scene),
    ['Fees', `${fiatOf(scene, fee.plus(networkFee))}${deal.side === 'buy' ? ', included' : ''}`],
    ...to,
  ]);
}

function amountsOf(scene: Scene): Fact[] {
  const { deal, standing } = scene.flow;
  const coins = (amount: Amount) => `${amount} ${deal.asset.code}`;
  const [pay, sell, get] = standing === 'completed' ? ['paid', 'sold', 'got'] : ['pay', 'sell', 'get'];
  return deal.side === 'buy'
    ? [
        [`You ${pay}`, fiatOf(scene, deal.pays)],
        [`You ${get}`, coins(deal.gets)],
      ]
    : [
        [`You ${sell}`, coins(deal.pays)],
        [`You ${get}`, fiatOf(scene, deal.gets)],
      ];
}

function fiatOf({ flow }: Scene, amount: Amount): string {
  return `${filled(amount, flow.deal.fiat)} ${flow.deal.fiat.code}`;
}

/** Inside a frame it stays inside the frame. */
function backLink({ flow, brand, world }: Scene, says: string, look = 'main'): Markup | undefined {
  const url = returnUrlOf(flow, brand, world);
  return url === undefined
    ? undefined
    : html`<a class="button ${look}" href="${url}" data-action="return">${says}</a>`;
}

/** Where the person goes back to, with what the provider adds; undefined when there is nowhere. */
function returnUrlOf(flow: Flow, brand: Brand, world: World): string | undefined {
  if (!flow.returnUrl || !URL.canParse(flow.returnUrl)) return undefined;
  const url = new URL(flow.returnUrl);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  for (const [name, value] of Object.entries(brand.returns(flow, world))) url.searchParams.set(name, value);
  return url.href;
}

const HINTS: Partial<Record<Stage, string>> = {
  code: 'Any six digits are right, but 000000 is not.',
  identity: 'The first or last name “Deny” is refused.',
  card: '4242 4242 4242 4242 asks for 3-D Secure, 4000 0000 0000 0002 is declined, any other right number is approved.',
  secure: 'Any code is right.',
  bank: 'The money arrives a moment after it was sent.',
  deposit: 'The deposit is confirmed a moment after it was simulated.',
};

/** The panel below every page: what can be made to happen, and what the test values are. */
function toolsOf(scene: Scene): Markup {
  const { flow, brand } = scene;
  const ended = ENDS.has(flow.standing);
  const refundable = flow.standing === 'completed' && flow.deal.side === 'buy' && brand.refundsBuys;
  const buttons: Button[] = ended
    ? refundable
      ? [{ move: 'refund', says: 'Refund' }]
      : []
    : [
        { move: 'complete', says: 'Complete now' },
        { move: 'fail', says: 'Fail' },
        { move: 'expire', says: 'Expire' },
      ];
  const hint = HINTS[flow.stage] ?? 'No money moves here: this page imitates the provider.';
  return html`<aside class="tools" aria-label="Sandbox"><h2>Sandbox</h2><p>${hint}</p>
${buttons.length > 0 && form(scene.path, [], ...buttons)}</aside>`;
}
