/** Checkouts as they are sent: a good one of each side, and either with something else in one place. */
import { WALLETS } from '../bad-input/orders.ts';
import { UUID } from '../bad-input/words.ts';

export interface Case {
  what: string;
  body: string | Buffer;
  /** Header lines beside those of a good request; a name said here replaces the good one. */
  headers?: readonly string[];
  /** What follows the path. */
  query?: string;
  /** Any of these may be named. */
  fields: readonly string[];
  /** 400 where nothing else is said. */
  status?: number;
}

/** Hosts the account must have registered for its people to be sent to. */
export const REDIRECT_HOSTS = ['shop.example', 'localhost:3000', '127.0.0.1:3000', '[::1]:3000'];
export const ADDRESSES = { ...WALLETS, tron: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8' };

export const BUY = {
  onramp: 'moonpay',
  source: 'eur',
  destination: 'btc',
  amount: 100,
  type: 'buy',
  paymentMethod: 'creditcard',
  network: 'bitcoin',
  uuid: UUID,
  partnerContext: 'order-1',
  originatingHost: 'shop.example',
  wallet: { address: ADDRESSES.bitcoin },
  supportedParams: {
    theme: {
      isDark: false,
      themeName: 'light-theme',
      primaryColor: '#241d1c',
      secondaryColor: '#FFFFFF',
      primaryTextColor: '#141519',
      secondaryTextColor: '#6b6f80',
      cardColor: '#F6F7F9',
      borderRadius: null,
    },
    partnerData: { redirectUrl: { success: 'https%3A%2F%2Fshop.example%2Fthanks' } },
  },
};

export const SELL = {
  onramp: 'moonpay',
  source: 'btc',
  destination: 'eur',
  amount: 0.01,
  type: 'sell',
  paymentMethod: 'sepabanktransfer',
};

type Members = { [name: string]: unknown };

/** The good body with a value at a path; `undefined` takes it away. */
export function withValue(path: string, value: unknown, good: object = BUY): Members {
  const [first = '', ...rest] = path.split('.');
  const copy: Members = { ...good };
  if (rest.length > 0) copy[first] = withValue(rest.join('.'), value, (copy[first] ?? {}) as object);
  else if (value === undefined) delete copy[first];
  else copy[first] = value;
  return copy;
}

/** The same as text, with JSON, or what pretends to be some, at the path. */
export function withJson(path: string, json: string): string {
  return JSON.stringify(withValue(path, '@@')).replace('"@@"', () => json);
}

export const said = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}… (${text.length})` : text);

export function jsonAt(path: string, texts: readonly string[], fields: readonly string[] = [path]): Case[] {
  return texts.map(json => ({ what: `${path}: ${said(json)}`, body: withJson(path, json), fields }));
}

/** Each value as a text of the field. */
export function textsAt(path: string, texts: readonly string[], fields?: readonly string[]): Case[] {
  return jsonAt(
    path,
    texts.map(text => JSON.stringify(text)),
    fields,
  );
}

/** A case byte by byte; with no key when that is empty. */
export function bytesOf(
  { body, headers: own = [], query = '?country=de' }: Omit<Case, 'what' | 'fields'>,
  key = '',
) {
  const bytes = Buffer.from(body);
  const usual = [
    'Host: test',
    ...(key ? [`Authorization: ${key}`] : []),
    'Content-Type: application/json',
    `Content-Length: ${bytes.length}`,
    'Connection: close',
  ];
  const names = own.map(nameOf);
  const lines = [...usual.filter(line => !names.includes(nameOf(line))), ...own];
  const head = `POST /checkout/intent${query} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, 'latin1'), bytes]);
}

const nameOf = (line: string) => line.slice(0, line.indexOf(':')).toLowerCase();
