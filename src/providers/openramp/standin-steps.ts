/** The stand-in's orders gone through step by step: what is asked next, and what an answer leads to. */
import type { Flow, Standing } from '../hosted.ts';
import { endOrder, move } from '../hosted-moves.ts';
import { iso } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { bankOf, brand, keepNote, noteOf } from './standin-book.ts';
import * as forms from './standin-forms.ts';

/** After which a bank transfer, which nobody makes in a sandbox, has arrived. */
export const TRANSFER_MS = 3_000;
const MOST_TRIES = 5;
const RIGHT_CODE = '123456';
const EXPIRING_CODE = '999999';
const OF_AGE = 18;

export interface Wrong {
  message: string;
  field?: string;
}

/** The step that is next; undefined where the person goes on at the hosted page, and where there is nothing left to do. */
export function stepOf(flow: Flow, world: World): object | undefined {
  const { steps, at } = noteOf(flow, world);
  if (!steps || flow.deal.side === 'sell') return undefined;
  const progress = PROGRESS[flow.stage] ?? '10';
  switch (flow.stage) {
    case 'card':
    case 'declined':
      return { type: 'iframe', key: 'card', title: 'Pay by card', progress, url: pageOf(flow, world) };
    case 'wallet':
      return { type: 'iframe', key: 'wallet', title: 'Confirm', progress, url: pageOf(flow, world) };
    case 'secure':
      return { type: 'redirect', key: 'secure', title: '3-D Secure', progress, url: pageOf(flow, world) };
    case 'bank':
      return { type: 'requestBankTransaction', progress, ...bankOf(flow) };
    case 'progress':
      return { type: 'wait', progress, message: 'Your order is being processed.' };
    case 'end':
      return flow.standing === 'completed' ? { type: 'completed', progress } : undefined;
    default:
      return { ...asked(at, flow, world), progress: ASKING[at] ?? '50' };
  }
}

/** In percent: while the person is being known, and after. */
const ASKING: Readonly<Record<string, string>> = {
  ...{
    email: '5',
    emailCode: '10',
    identity: '20',
    state: '25',
    phoneCode: '30',
    document: '40',
    selfie: '60',
  },
};
const PROGRESS: Partial<Record<Flow['stage'], string>> = {
  ...{ card: '70', declined: '70', wallet: '70', bank: '70', secure: '80', progress: '90', end: '100' },
};

function asked(at: string, flow: Flow, world: World): object {
  if (at === 'email') return forms.EMAIL_FORM;
  if (at === 'emailCode') return forms.codeForm(at);
  if (at === 'identity') return forms.identityForm(world, flow.country === 'US');
  if (at === 'state') return forms.STATE_FORM;
  if (at === 'phoneCode') return forms.codeForm(at);
  return at === 'document' ? forms.DOCUMENT_STEP : forms.fileStep(at);
}

/** A page of one step; it leads back when the person is done with it. */
function pageOf({ id, host }: Flow, world: World): string {
  return `${world.base(host)}/step/${id}`;
}

/** Whether a step is known at all, was answered, or is asked now. */
export function placeOf(key: string, flow: Flow, world: World): 'unknown' | 'later' | 'now' | 'done' {
  const { at, done } = noteOf(flow, world);
  if (done.includes(key)) return 'done';
  const isAsked = at === 'document' ? forms.DOCUMENT_KEYS.includes(key) : at === key;
  if (isAsked && !PROGRESS[flow.stage]) return 'now';
  return Object.hasOwn(ANSWERS, key) || Object.hasOwn(forms.FILES, key) ? 'later' : 'unknown';
}

export function isFile(key: string): boolean {
  return Object.hasOwn(forms.FILES, key);
}

/** The first step of an order. */
export function firstStep({ email }: Pick<Flow, 'email'>): string {
  return EMAIL.test(email) ? 'emailCode' : 'email';
}

type Answers = Readonly<Record<string, unknown>>;

/** Takes the answers to the form that is asked now. */
export function answerForm(key: string, answers: Answers, { flow, world }: Scene): Wrong | undefined {
  const read = (name: string) => {
    const value = answers[name];
    return typeof value === 'string' ? value.trim() : value === true ? 'true' : '';
  };
  const next = ANSWERS[key]?.(read, { flow, world });
  return typeof next === 'string' ? goOn(next, key, { flow, world }) : next;
}

/** A file; the body is what is left of it as text. */
interface Sent {
  type: string;
  text: string;
}

/** Takes the file that is asked for now. */
export function answerFile(key: string, { type, text }: Sent, scene: Scene): Wrong | undefined {
  const looks = LOOKS[type];
  if (!looks?.test(text)) return { message: 'The file is not what it says it is' };
  if (/blurry/i.test(text)) return { message: 'The picture is not sharp enough: take another one' };
  return goOn(forms.FILES[key]?.next ?? 'pay', key, scene);
}

/** The first bytes, which are no text, have become a sign that says so. */
const LOOKS: Readonly<Record<string, RegExp>> = {
  'image/jpeg': /^\ufffd\ufffd/,
  'image/png': /^\ufffdPNG/,
  'application/pdf': /^%PDF-/,
};

interface Scene {
  flow: Flow;
  world: World;
}

type Read = (name: string) => string;

const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

/** What each form leads to: the next step, what is wrong, or the end of the order. */
const ANSWERS: Readonly<Record<string, (read: Read, scene: Scene) => string | Wrong>> = {
  email(read, { flow, world }) {
    const email = read('email');
    if (!EMAIL.test(email)) return wrong('email', 'Enter an e-mail address');
    world.orders.put(flow.id, { ...flow, email });
    return 'emailCode';
  },
  emailCode: (read, scene) =>
    checkCode('verifyEmailCode', read, scene) ?? (scene.flow.knowing === 'nothing' ? 'pay' : 'identity'),
  identity(read, { flow, world }) {
    const missing = TEXTS.find(name => !read(name));
    if (missing) return wrong(missing, 'This is needed');
    if (!isOfAge(read('dateOfBirth'), world)) return wrong('dateOfBirth', `You must be ${OF_AGE} or older`);
    if (!/^\d{1,4}$/.test(read('phoneCountryCode')))
      return wrong('phoneCountryCode', 'Enter the digits after the plus');
    if (!/^\d{4,14}$/.test(read('phoneNumber')))
      return wrong('phoneNumber', 'Enter the digits of the number');
    const country = world.currencies.findCountry(read('country'))?.code;
    if (!country) return wrong('country', 'Choose a country');
    if (read('termsOfUse') !== 'true') return wrong('termsOfUse', 'Without your agreement we cannot go on');
    if (/^deny$/i.test(read('firstName')) || /^deny$/i.test(read('lastName')))
      return end(flow, { standing: 'failed', reason: 'Identity verification was rejected' }, world);
    world.orders.put(flow.id, { ...flow, country });
    return country === 'US' && !forms.isState(read('state')) ? 'state' : 'phoneCode';
  },
  state: read => (forms.isState(read('state')) ? 'phoneCode' : wrong('state', 'Choose a state')),
  phoneCode: (read, scene) =>
    checkCode('verifyPhoneCode', read, scene) ?? (scene.flow.knowing === 'document' ? 'document' : 'pay'),
};

const TEXTS = ['firstName', 'lastName', 'dateOfBirth', 'street', 'town', 'postCode', 'country'];

function wrong(field: string, message: string): Wrong {
  return { field, message };
}

/** Whether somebody born on that day is of age; nobody was born on what is no date. */
function isOfAge(born: string, { now }: World): boolean {
  const day = new Date(now);
  day.setUTCFullYear(day.getUTCFullYear() - OF_AGE);
  return /^(19|20)\d\d-\d\d-\d\d$/.test(born) && born <= iso(day.getTime()).slice(0, 10);
}

/** What is wrong with a code, or what came of it; undefined when it is right. */
function checkCode(field: string, read: Read, { flow, world }: Scene): Wrong | 'over' | undefined {
  const code = read(field).replaceAll(' ', '');
  if (code === RIGHT_CODE) return undefined;
  if (code === EXPIRING_CODE)
    return end(flow, { standing: 'expired', reason: 'The code was not entered in time' }, world);
  const note = noteOf(flow, world);
  const tries = note.tries + 1;
  if (tries >= MOST_TRIES)
    return end(flow, { standing: 'failed', reason: 'The code was wrong too often' }, world);
  keepNote(flow, { ...note, tries }, world);
  return wrong(field, 'The code is not right');
}

function end(flow: Flow, how: { standing: Standing; reason: string }, world: World): 'over' {
  endOrder(flow, how, { brand, world });
  return 'over';
}

/** Asks for what comes next; nothing is wrong then. */
function goOn(next: string, key: string, { flow, world }: Scene): undefined {
  if (next === 'over') return;
  const note = noteOf(flow, world);
  keepNote(flow, { ...note, at: next, done: [...note.done, key], tries: 0 }, world);
  if (next === 'pay') goToPayment(flow.id, world);
}

/** The hosted pages ask in their own way; for somebody who is known already they are gone through at once. */
function goToPayment(id: string, world: World): void {
  const { email = '', country = '' } = world.orders.get(id) ?? {};
  const form = {
    ...{ email, code: RIGHT_CODE, kind: 'passport', country, birthdate: '2000-01-01' },
    ...{ first: 'Known', last: 'Already', street: 'x', city: 'x', postcode: 'x' },
  };
  for (const word of ['email', 'code', 'identity', 'document']) move(id, word, { brand, world, form });
  if (world.orders.get(id)?.stage !== 'bank') return;
  world.later(TRANSFER_MS, then => move(id, 'sent', { brand, world: then, form: {} }));
}
