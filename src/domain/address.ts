/** Whether a wallet address, and the memo beside it, are right for a network. */
import { base58xrp, bech32m, utf8 } from '@scure/base';
import {
  algorand,
  arweave,
  byron,
  evm,
  filecoin,
  flow,
  hedera,
  holdsTag,
  icpAccount,
  icpPrincipal,
  isShelley,
  solana,
  ss58,
  stacks,
  starknet,
  strkey,
  tonFriendly,
  xAddress,
} from './address-chains.ts';
import {
  base58check,
  bech32Of,
  cashaddr,
  type Form,
  matching,
  type Reading,
  segwit,
  sized,
} from './address-forms.ts';
import type { Network } from './currency.ts';
import { member } from './words.ts';

/** What is wrong: as a sentence that does not repeat the address, and by kind for those who say it in other words. */
export interface AddressFlaw {
  message: string;
  kind?: 'empty' | 'characters' | 'zero' | 'elsewhere' | 'testnet' | 'checksum' | 'unlike' | undefined;
  /** Networks whose address it looks like. */
  others?: readonly string[] | undefined;
}

/** Undefined when the address is right for the network. Never alters it. */
export function checkAddress(
  network: Network,
  address: string,
  networks: Iterable<Network>,
): AddressFlaw | undefined {
  const chain = chainOf(network);
  if (!chain) return { message: `${network.name} addresses cannot be checked` };
  const flaw = checkText(address);
  if (flaw) return flaw;
  const reading = readOn(chain, address);
  if (reading !== 'formed' && reading !== 'fits' && reading !== 'unlike')
    return toFlaw(reading, network.name);
  const elsewhere = readElsewhere(chain, address, networks);
  // Looks are given up for a proof only.
  const names = elsewhere.get('proven') ?? (reading === 'unlike' ? elsewhere.get('formed') : undefined);
  return names
    ? {
        kind: 'elsewhere',
        others: names,
        message: `This looks like ${withArticle(listed(names))} address; ${network.name} was asked for`,
      }
    : toFlaw(reading, network.name);
}

/**
 * What is wrong with the memo or tag beside an address, if anything. None is ever demanded: a wallet of one's own needs
 * none, and which addresses are an exchange's, shared by its customers, cannot be told from the address.
 */
export function checkMemo(
  network: Network,
  memo: string | undefined,
  address: string,
): AddressFlaw | undefined {
  if (memo === undefined) return undefined;
  const rule = network.tag ? chainOf(network)?.memo : undefined;
  if (!rule) return { message: `${network.name} addresses take no memo` };
  if (memo === '') return { message: 'The memo is empty' };
  if (memo.length > MOST_CHARACTERS)
    return { message: `The memo is longer than ${MOST_CHARACTERS} characters` };
  if (/[\p{C}\p{Zl}\p{Zp}]/u.test(memo)) return { message: 'The memo has characters that cannot be seen' };
  if (rule.isInside?.(address)) return { message: 'The address already has its memo inside' };
  return rule.allows(memo) ? undefined : { message: rule.otherwise };
}

/** Whether an address holds its memo itself, so that none belongs beside it. */
export function holdsMemo(network: Network, address: string): boolean {
  return network.tag === true && chainOf(network)?.memo?.isInside?.(address) === true;
}

interface Chain {
  /** The first that knows the address has the word. */
  forms: readonly Form[];
  memo?: MemoRule;
}

interface MemoRule {
  allows(memo: string): boolean;
  otherwise: string;
  isInside?(address: string): boolean;
}

const MOST_CHARACTERS = 256;

/** By the network's `family`, where all its networks share the forms. */
const FAMILIES: Readonly<Record<string, Chain>> = {
  evm: { forms: [evm] },
  bitcoin: {
    forms: [
      base58check({ main: ['00', '05'], test: ['6f', 'c4'] }),
      segwit({ main: ['bc'], test: ['tb', 'bcrt'] }),
    ],
  },
  litecoin: {
    forms: [
      // 05 is how P2SH was written before 32; wallets still read it.
      base58check({ main: ['30', '32', '05'], test: ['6f', '3a', 'c4'] }),
      segwit({ main: ['ltc'], test: ['tltc', 'rltc'] }),
    ],
  },
  bitcoincash: {
    forms: [
      // P2PKH and P2SH, the latter of 32 bytes too; then the same for wallets that hold tokens.
      cashaddr(
        { main: ['bitcoincash'], test: ['bchtest', 'bchreg'] },
        { 0: 20, 8: 20, 11: 32, 16: 20, 24: 20, 27: 32 },
        'bitcoincash',
      ),
      base58check({ main: ['00', '05'], test: ['6f', 'c4'] }),
    ],
  },
  dogecoin: { forms: [base58check({ main: ['1e', '16'], test: ['71', 'c4'] })] },
  dash: { forms: [base58check({ main: ['4c', '10'], test: ['8c', '13'] })] },
  zcash: {
    forms: [
      base58check({ main: ['1cb8', '1cbd'], test: ['1d25', '1cba'] }),
      bech32Of({ main: ['zs'], test: ['ztestsapling', 'zregtestsapling'] }, sized(43)),
      bech32Of({ main: ['tex'], test: ['textest', 'texregtest'] }, sized(20), bech32m),
      matching(/^u1[02-9ac-hj-np-z]+$/, {
        message: 'Unified Zcash addresses are not taken; a transparent or Sapling one is needed',
      }),
    ],
  },
  tron: { forms: [base58check({ main: ['41'] })] },
  tezos: { forms: [base58check({ main: ['06a19f', '06a1a1', '06a1a4', '06a1a6', '025a79'] })] },
  solana: { forms: [solana] },
  xrp: {
    forms: [base58check({ main: ['00'] }, 20, base58xrp), xAddress],
    memo: {
      allows: isTag,
      otherwise: 'A destination tag is a number from 0 to 4294967295',
      isInside: holdsTag,
    },
  },
  stellar: {
    forms: [strkey(6 << 3, 32), strkey(12 << 3, 40)],
    // A number is a memo too, and no 64-bit one has more than 20 digits.
    memo: { ...upTo(28), isInside: address => address.startsWith('M') },
  },
  cardano: { forms: [bech32Of({ main: ['addr'], test: ['addr_test'] }, isShelley), byron] },
  ton: { forms: [tonFriendly, matching(/^(0|-1):[0-9a-fA-F]{64}$/, 'formed')], memo: upTo(120) },
  near: {
    forms: [
      matching(/\.testnet$/, 'testnet'),
      // A name without a dot is top-level: only the registrar makes those, and much that is no name looks like one.
      matching(/^(?!.*[._-]{2})[a-z0-9][a-z0-9._-]{0,58}\.near$/, 'formed'),
      matching(/^(?!.*[._-]{2})(?=.*\.)[a-z0-9][a-z0-9._-]{0,62}[a-z0-9]$/, 'fits'),
      matching(/^[0-9a-f]{64}$/, 'fits'),
    ],
  },
  algorand: { forms: [algorand] },
  // AIP-40: the first sixteen may be short, and what early tools left of leading zeros is still read.
  aptos: { forms: [matching(/^0x[0-9a-fA-F]{60,64}$/, 'formed'), matching(/^0x[1-9a-f]$/, 'fits')] },
  sui: { forms: [matching(/^0x[0-9a-fA-F]{64}$/, 'formed')] },
};

/** By the network's id, where its family does not say the form. */
const NETWORKS: Readonly<Record<string, Chain>> = {
  cosmos: cosmos('cosmos'),
  osmosis: cosmos('osmo'),
  injective: cosmos('inj'),
  celestia: cosmos('celestia'),
  noble: cosmos('noble'),
  polkadot: { forms: [ss58(0)] },
  kusama: { forms: [ss58(2)] },
  arweave: { forms: [arweave] },
  stacks: { forms: [stacks], memo: upTo(34) },
  starknet: { forms: [starknet] },
  hedera: { forms: [hedera], memo: upTo(100) },
  kaspa: {
    forms: [
      cashaddr({ main: ['kaspa'], test: ['kaspatest', 'kaspasim', 'kaspadev'] }, { 0: 32, 1: 33, 8: 32 }),
    ],
  },
  filecoin: {
    forms: [
      filecoin,
      matching(/^f0[1-9][0-9]{0,17}$/, 'formed'),
      matching(/^t(0[0-9]{1,18}|[123][a-z2-7]{39,84}|410f[a-z2-7]{39})$/, 'testnet'),
    ],
  },
  eos: { forms: [matching(/^(?!\.)[a-z1-5.]{0,11}[a-z1-5]$/, 'fits')], memo: upTo(256) },
  multiversx: { forms: [bech32Of({ main: ['erd'] }, sized(32))] },
  internetcomputer: { forms: [icpAccount, icpPrincipal] },
  flow: { forms: [flow] },
};

function chainOf(network: Network): Chain | undefined {
  return member(NETWORKS, network.id) ?? member(FAMILIES, network.family);
}

function cosmos(prefix: string): Chain {
  return { forms: [bech32Of({ main: [prefix] }, sized(20, 32))], memo: upTo(256) };
}

function upTo(bytes: number): MemoRule {
  return {
    allows: memo => utf8.decode(memo).length <= bytes,
    otherwise: `The memo is longer than ${bytes} bytes`,
  };
}

function isTag(memo: string): boolean {
  return /^(0|[1-9][0-9]{0,9})$/.test(memo) && (memo.length < 10 || memo <= '4294967295');
}

/** What no address of any chain has. The length comes first, so that no pattern sees a longer text. */
function checkText(address: string): AddressFlaw | undefined {
  if (address === '') return { kind: 'empty', message: 'The address is empty' };
  if (address.length > MOST_CHARACTERS) {
    return { message: `The address is longer than ${MOST_CHARACTERS} characters` };
  }
  // Printable ASCII but the quotes.
  if (!/^[!#-&(-_a-~]+$/.test(address))
    return { kind: 'characters', message: 'The address has characters that no address has' };
  // Ethereum's and its like, and Solana's.
  if (/^(0x0+|1{32})$/.test(address)) return { kind: 'zero', message: 'The zero address belongs to nobody' };
  return undefined;
}

function readOn(chain: Chain, address: string): Reading {
  for (const form of chain.forms) {
    const reading = form(address);
    if (reading !== 'unlike') return reading;
  }
  return 'unlike';
}

/** What the other kinds of chain make of the address, each under the name of its first network. */
function readElsewhere(own: Chain, address: string, networks: Iterable<Network>): Map<Reading, string[]> {
  const names = new Map<Reading, string[]>();
  const seen = new Set([own]);
  for (const network of networks) {
    const chain = chainOf(network);
    if (!chain || seen.has(chain)) continue;
    seen.add(chain);
    const reading = readOn(chain, address);
    names.set(reading, [...(names.get(reading) ?? []), network.name]);
  }
  return names;
}

function toFlaw(reading: Reading, name: string): AddressFlaw | undefined {
  if (typeof reading === 'object') return reading;
  if (reading === 'testnet')
    return { kind: reading, message: `This is ${withArticle(name)} testnet address` };
  if (reading === 'checksum') return { kind: reading, message: 'The checksum of the address is wrong' };
  if (reading === 'unlike') return { kind: reading, message: `This is not ${withArticle(name)} address` };
  return undefined;
}

function listed(names: string[]): string {
  return names.join(', ').replace(/, ([^,]*)$/, ' or $1');
}

function withArticle(name: string): string {
  return /^([AEIO]|XRP)/i.test(name) ? `an ${name}` : `a ${name}`;
}
