/** Reading a checkout: a body of strict JSON into what is wished for, or a fault that names the field. */
import type { Account } from '../../app/accounts.ts';
import type { Wish } from '../../app/checkout.ts';
import type { Theme } from '../../app/pay.ts';
import type { SentSignature, SignedFields } from '../../app/signed-checkout.ts';
import { checkAddress, checkMemo } from '../../domain/address.ts';
import type { Asset, Currencies } from '../../domain/currency.ts';
import { badInput, type Fault } from '../../domain/fault.ts';
import { JsonNumber } from '../../domain/json-strict.ts';
import { isContext, LONGEST_CONTEXT, type ProviderId, plainWord } from '../../domain/words.ts';
import { readRedirect } from '../redirect.ts';
import { readColor, readRadius } from '../theme.ts';
import { type Pair, readAmount, readMethod, readPair } from './read.ts';

/** All that a body says. */
export interface CheckoutForm {
  order: Order;
  /** Texts of the body as they were spelled, for the answer. */
  spelled: { source: string; destination: string; theme: Members };
  signed: SignedFields;
  signature: SentSignature;
}

type Order = Omit<
  Wish,
  'account' | 'origin' | 'country' | 'contextIsObject' | 'signNonce' | 'idempotency' | 'clientIp'
>;

export interface FormContext {
  account: Account;
  currencies: Currencies;
  isProvider(id: string): boolean;
}

type Members = Readonly<Record<string, unknown>>;

/** An object of the body, and the way to it; null counts as absent, all along the way. */
interface Section {
  members: Members | undefined;
  way: string;
}

const REDIRECT = 'supportedParams.partnerData.redirectUrl.success';

/** Fields that are not named here are ignored, whatever they hold. */
export function readCheckout(body: unknown, context: FormContext): CheckoutForm {
  if (!isObject(body)) throw badInput('body', 'body must be a JSON object');
  const { account, currencies } = context;
  const sent: Section = { members: body, way: '' };
  const source = needText(sent, 'source');
  const destination = needText(sent, 'destination');
  const pair = readPairOf(sent, { source, destination, currencies });
  const amount = needAmount(sent);
  const supported = sectionOf(sent, 'supportedParams');
  const { theme, spelled } = readTheme(sectionOf(supported, 'theme'));
  const redirect = readText(sectionOf(sectionOf(supported, 'partnerData'), 'redirectUrl'), 'success');
  const partnerContext = readPartnerContext(sent);
  const wallet = readWallet(sectionOf(sent, 'wallet'), pair, currencies);
  return {
    order: {
      side: pair.side,
      fiat: pair.fiat,
      asset: pair.asset,
      provider: readProvider(sent, context),
      method: readMethod(currencies, readText(sent, 'paymentMethod') ?? 'creditcard'),
      amount: readAmount(amount.text, pair, 'source'),
      source: source.toLowerCase(),
      target: destination.toLowerCase(),
      wallet,
      quoteId: readMatch(sectionOf(sent, 'metaData'), 'quoteId', QUOTE_ID),
      partnerContext: partnerContext ?? '',
      uuid: readMatch(sent, 'uuid', UUID),
      originatingHost: readHost(sent),
      theme,
      returnTo: redirect === undefined ? undefined : readWayBack(redirect, account.redirectHosts),
    },
    spelled: { source, destination, theme: spelled },
    signed: {
      amount: amount.text,
      source,
      destination,
      network: readText(sent, 'network'),
      onramp: readText(sent, 'onramp'),
      partnerContext,
      paymentMethod: readText(sent, 'paymentMethod'),
      redirect,
      type: readText(sent, 'type'),
      wallet,
    },
    signature: { signContent: readText(sent, 'signContent'), signature: readText(sent, 'signature') },
  };
}

function isObject(value: unknown): value is Members {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)
  );
}

function sectionOf(section: Section, name: string): Section {
  const members = find(section, name);
  const way = wayTo(section, name);
  if (members !== undefined && !isObject(members)) throw badInput(way, `${way} must be an object`);
  return { members, way };
}

function find({ members }: Section, name: string): unknown {
  return members?.[name] ?? undefined;
}

/** Such as `wallet.address`. */
function wayTo({ way }: Section, name: string): string {
  return way ? `${way}.${name}` : name;
}

function wrong(section: Section, name: string, what: string): Fault {
  const way = wayTo(section, name);
  return badInput(way, `${way} ${what}`);
}

function readText(section: Section, name: string): string | undefined {
  const value = find(section, name);
  if (value !== undefined && typeof value !== 'string') throw wrong(section, name, 'must be a string');
  return value;
}

function needText(section: Section, name: string): string {
  const text = readText(section, name);
  if (text === undefined) throw wrong(section, name, 'is required');
  return text;
}

/** A form texts must have, and how to say it. */
interface TextForm {
  pattern: RegExp;
  words: string;
}

const UUID: TextForm = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  words: 'must be a UUID such as 6f9619ff-8b86-d011-b42d-00c04fc964ff',
};
const QUOTE_ID: TextForm = {
  pattern: /^[\x21-\x7e]{1,128}$/,
  words: 'must be the quoteId of a quote',
};
const THEME_NAME: TextForm = {
  pattern: /^[A-Za-z0-9 ._-]{1,64}$/,
  words: 'must be 1 to 64 letters, digits, blanks, dots, dashes or underscores',
};

function readMatch(section: Section, name: string, { pattern, words }: TextForm): string | undefined {
  const text = readText(section, name);
  if (text !== undefined && !pattern.test(text)) throw wrong(section, name, words);
  return text;
}

function readProvider(sent: Section, { isProvider }: FormContext): ProviderId {
  const id = plainWord(needText(sent, 'onramp'));
  if (id === undefined || !isProvider(id)) throw badInput('onramp', 'onramp is not a provider we know');
  return id as ProviderId;
}

interface Words {
  source: string;
  destination: string;
  currencies: Currencies;
}

/** The order of the currencies decides the side; `type`, `buy` when it is absent, must agree, and so must `network`. */
function readPairOf(sent: Section, { source, destination, currencies }: Words): Pair {
  const network = readText(sent, 'network');
  const type = readText(sent, 'type') ?? 'buy';
  if (type !== 'buy' && type !== 'sell') throw badInput('type', 'type must be one of: buy, sell');
  const pair = readPair(currencies, { source, destination, network });
  if (type !== pair.side) throw badInput('type', `type must be ${pair.side} for ${source}/${destination}`);
  return pair;
}

function needAmount(sent: Section): JsonNumber {
  const amount = find(sent, 'amount');
  if (amount === undefined) throw badInput('amount', 'amount is required');
  if (!(amount instanceof JsonNumber)) throw badInput('amount', 'amount must be a JSON number');
  return amount;
}

/** Where coins go on a buy; on a sell the address they may come back to, if there is one. Never altered. */
function readWallet(wallet: Section, { side, asset }: Pair, currencies: Currencies): Wish['wallet'] {
  const address = side === 'buy' ? needText(wallet, 'address') : readText(wallet, 'address');
  const memo = readText(wallet, 'memo');
  if (address === undefined) {
    if (memo !== undefined) throw badInput('wallet.memo', 'wallet.memo needs a wallet.address');
    return undefined;
  }
  const network = networkOf(asset, currencies);
  const wrongAddress = checkAddress(network, address, currencies.networks.values());
  if (wrongAddress) throw badInput('wallet.address', `wallet.address: ${wrongAddress.message}`);
  const wrongMemo = checkMemo(network, memo, address);
  if (wrongMemo) throw badInput('wallet.memo', `wallet.memo: ${wrongMemo.message}`);
  return { address, memo };
}

function networkOf(asset: Asset, { networks }: Currencies) {
  const network = networks.get(asset.network);
  if (!network) throw new Error(`${asset.id} is on no network of the catalog`);
  return network;
}

function readPartnerContext(sent: Section): string | undefined {
  const text = readText(sent, 'partnerContext');
  if (text === undefined || isContext(text)) return text;
  throw badInput(
    'partnerContext',
    `partnerContext must be at most ${LONGEST_CONTEXT} characters, none of them a control character`,
  );
}

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i;
/** Last labels of addresses in any of the spellings URL parsers read, and of one's own machine. */
const NO_NAME = /^([0-9]+|0x[0-9a-f]*|localhost)$/i;

function readHost(sent: Section): string | undefined {
  const host = readText(sent, 'originatingHost');
  if (host === undefined) return undefined;
  const labels = host.split('.');
  if (host.length <= 253 && labels.every(label => LABEL.test(label)) && !NO_NAME.test(labels.at(-1) ?? ''))
    return host;
  throw badInput(
    'originatingHost',
    'originatingHost must be a host name such as shop.example, without scheme, port or path',
  );
}

const COLORS = [
  'primaryColor',
  'secondaryColor',
  'primaryTextColor',
  'secondaryTextColor',
  'cardColor',
] as const;
const THEME = ['isDark', 'themeName', ...COLORS, 'borderRadius'] as const;

/** The theme, and its members as they were spelled. */
function readTheme(sent: Section): { theme: Theme; spelled: Members } {
  const isDark = find(sent, 'isDark');
  if (isDark !== undefined && typeof isDark !== 'boolean')
    throw wrong(sent, 'isDark', 'must be true or false');
  const theme: Theme = {
    isDark: isDark ?? false,
    themeName: readMatch(sent, 'themeName', THEME_NAME),
    borderRadius: readBorderRadius(sent),
  };
  for (const name of COLORS) {
    const color = readText(sent, name);
    if (color !== undefined && !readColor(color))
      throw wrong(sent, name, 'must be a colour such as #1a2b3c or rgb(26, 43, 60)');
    theme[name] = color;
  }
  const spelled: Record<string, unknown> = {};
  for (const name of THEME) if (sent.members && name in sent.members) spelled[name] = sent.members[name];
  return { theme, spelled };
}

function readBorderRadius(sent: Section): string | undefined {
  const value = find(sent, 'borderRadius');
  const text = value instanceof JsonNumber ? value.text : value;
  if (text === undefined || (typeof text === 'string' && readRadius(text) !== undefined)) return text;
  throw wrong(sent, 'borderRadius', 'must be a number of pixels, or a length such as 8px or 0.5rem');
}

function readWayBack(sent: string, hosts: readonly string[]): string {
  const read = readRedirect(sent, hosts);
  if (typeof read !== 'string') throw badInput(REDIRECT, `${REDIRECT} ${read.wrong}`);
  return read;
}
