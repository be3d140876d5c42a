/** Deposits: where coins that are sold are sent, as text to copy and as a picture to scan. */
import { encodeQR } from 'qr';
import type { PayView } from '../../app/pay.ts';
import { visible } from '../html.ts';
import type { DepositState } from './shape.ts';

export function depositOf({ deposit, pays, network }: PayView): DepositState | undefined {
  if (!deposit) return undefined;
  const { address, memo = '' } = deposit;
  const amount = (deposit.amount ?? pays.amount).toString();
  const uri = memo ? address : paymentUri({ address, amount, network, code: pays.code });
  return { address, memo, amount, uri, picture: draw(uri) };
}

/** Coins whose wallets understand `scheme:address?amount=`, by network and code. */
const SCHEMES: ReadonlyMap<string, string> = new Map([
  ['Bitcoin BTC', 'bitcoin'],
  ['Litecoin LTC', 'litecoin'],
  ['Dogecoin DOGE', 'dogecoin'],
  ['Bitcoin Cash BCH', 'bitcoincash'],
]);

interface Payment {
  address: string;
  amount: string;
  network: string;
  code: string;
}

function paymentUri({ address, amount, network, code }: Payment): string {
  const scheme = SCHEMES.get(`${network} ${code.toUpperCase()}`);
  const bare = scheme && address.startsWith(`${scheme}:`) ? address.slice(scheme.length + 1) : address;
  return scheme && /^[A-Za-z0-9]+$/.test(bare) ? `${scheme}:${bare}?amount=${amount}` : address;
}

const LONGEST = 512;

function draw(text: string): string {
  // What cannot be checked by eye is not to be scanned blindly either.
  if (text.length > LONGEST || visible(text) !== text) return '';
  const svg = encodeQR(text, 'svg', { ecc: 'medium', border: 4 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}
