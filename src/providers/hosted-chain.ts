/** Chains as the stand-ins imagine them: addresses to send to and hashes of transfers, well formed and nobody's. */
import type { Deposit } from '../domain/transaction.ts';
import type { Flow } from './hosted.ts';
import { digest } from './standin-kit.ts';
import type { World } from './world.ts';

/** Where the coins of a sell are sent; the same for the same order. */
export function depositOf({ id, deal: { asset, pays } }: Flow, world: World): Deposit {
  const network = world.currencies.networks.get(asset.network);
  const hex = digest(`deposit ${id}`, world);
  const address = ADDRESSES[asset.network] ?? DERIVED[network?.family ?? '']?.(hex);
  return {
    address: address ?? `sandbox-${asset.network}-${hex.slice(0, 24)}`,
    memo: network?.tag ? memoOf(id, world) : undefined,
    amount: pays,
  };
}

/** Where coins go on a buy; without a wallet of the partner's, one that is made up where the page would have asked. */
export function walletOf(flow: Flow, world: World): string {
  return flow.wallet ?? depositOf({ ...flow, id: `wallet ${flow.id}` }, world).address;
}

/** A number that any network with memos takes. */
function memoOf(id: string, world: World): string {
  const digits = digest(`memo ${id}`, world).replace(/\D/g, '');
  return `1${digits.slice(0, 8)}`;
}

/** The hash of one transfer of an order, in the form its network writes them. */
export function hashOf(what: 'deposit' | 'delivery' | 'refund', { id, deal }: Flow, world: World): string {
  const hex = digest(`${what} ${id}`, world);
  const family = world.currencies.networks.get(deal.asset.network)?.family ?? '';
  return (HASHES[family] ?? plainHash)(hex);
}

/** Made from a hash, so that nobody has the key; the checksums are right. */
const ADDRESSES: Readonly<Record<string, string>> = {
  algorand: '7OV7XPLHQQZLIP6TMC457OUPP6IQGX455AKJGQ3AQLMYCHCEMRW4RSZLCE',
  bitcoin: 'bc1qmdswsavc80xlfz8gs7s40pg7g6znwragpkjufy',
  bitcoincash: 'bitcoincash:qpn3c4t8e2wlw3sps2p8ds8gs8feuq537s02nv09gc',
  cardano: 'addr1vy4srnp0d2tf4wx8tknym607t7u3uaqfm8tt3uqm7hl9xncgdcucd',
  celestia: 'celestia10ta8tgsvpejws8pac28a92grwemyrhmt0md5kx',
  cosmos: 'cosmos1f7462vxdkacrvlukzfluqwr7eudncqrc0zqpul',
  dogecoin: 'DT9fieRppLwXVdf43JdHA7Yiqi4BSpjgid',
  hedera: '0.0.7001234',
  injective: 'inj1xrmjmswqpl7wq8qzhk0u0dx3xjgm9dverp52kv',
  litecoin: 'ltc1q0hchp6c5ag4nv9kyhqtnwstyaguqk54aetc6ms',
  noble: 'noble1hxn6mfu8us9yezzm5xlswgd6hh5xvnr9xl7yt5',
  osmosis: 'osmo1l2u6nmxk4q2tj8tv2xtd05kchrzj7ap9mur4ll',
  polkadot: '1277nqpZ217PaYL7W4UJ6UKcge4BAf9AkgtGqUn3uFWziY76',
  ripple: 'rHraC8ZgwWUsjSD9N3QBBgQ3yPhdAftm3C',
  solana: '6JY2VVyJf7B1bJDGdvctcWQwBAi8JqMzPVteFSCLDeQr',
  stellar: 'GAR633XOXHXA7A7YD2XNS2MIDAQLIAM3Y5A5BLPDE5CYEPBN4RO3KB2D',
  tezos: 'tz1iG6hM6xz7bU1u28Qs6QzYGHwy8kjDsouz',
  ton: 'UQDFKk0Agd0FbORQBo2Yj4etq4VuRcXfXM7lgI0C1hwYgRgt',
  tron: 'TP3EMACFwDsrzFqkVTksqQ87V42chUD5oC',
};

/** Where an address is any number of the right length, every order has its own. */
const DERIVED: Readonly<Record<string, (hex: string) => string>> = {
  evm: hex => `0x${hex.slice(0, 40)}`,
  near: hex => hex.slice(0, 64),
  aptos: hex => `0x${hex.slice(0, 64)}`,
  sui: hex => `0x${hex.slice(0, 64)}`,
};

const HASHES: Readonly<Record<string, (hex: string) => string>> = {
  evm: hex => `0x${hex.slice(0, 64)}`,
  aptos: hex => `0x${hex.slice(0, 64)}`,
  xrp: hex => hex.slice(0, 64).toUpperCase(),
  cosmos: hex => hex.slice(0, 64).toUpperCase(),
  solana: hex => base58(hex),
};

function plainHash(hex: string): string {
  return hex.slice(0, 64);
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(hex: string): string {
  const digits: number[] = [];
  for (const letter of hex) {
    let carry = '0123456789abcdef'.indexOf(letter);
    for (const [at, digit] of digits.entries()) {
      const sum = digit * 16 + carry;
      digits[at] = sum % 58;
      carry = Math.floor(sum / 58);
    }
    if (carry) digits.push(carry);
  }
  return digits
    .reverse()
    .map(digit => BASE58.charAt(digit))
    .join('');
}
