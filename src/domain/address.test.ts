/** Wallet addresses: each chain's own rules, and the chain named where it is another's. */
import { base58, hex } from '@scure/base';
import { describe, expect, it } from 'vitest';
import {
  cash,
  FORMED,
  flawOf,
  HASH,
  in32,
  in58,
  inX,
  LONG,
  networkOf,
  networks,
  PROVEN,
  pairs,
} from '../../test/address-vectors.ts';
import { checkAddress } from './address.ts';
import type { Network } from './currency.ts';

/** Wrong on their network, and why: part of the message. */
const WRONG: [id: string, address: string, message: string][] = [
  // BIP 173 and BIP 350: version 1 in the old encoding, version 0 in the new, bad lengths, mixed case, later versions.
  ['bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd', 'checksum'],
  ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KEMEAWH', 'checksum'],
  ['bitcoin', 'BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P', 'This is not a Bitcoin address'],
  ['bitcoin', 'bc1gmk9yu', 'checksum'],
  ['bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4', 'checksum'],
  ['bitcoin', 'bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs', 'witness version'],
  ['bitcoin', 'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y', 'not a Bitcoin'],
  ['bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx', 'This is a Bitcoin testnet address'],
  ['bitcoin', in58('6f'), 'This is a Bitcoin testnet address'],
  ['bitcoin', `bitcoin:${in58('00')}`, 'This is not a Bitcoin address'],
  ['litecoin', in58('3a'), 'This is a Litecoin testnet address'],
  ['dogecoin', in58('71'), 'This is a Dogecoin testnet address'],
  ['dash', in58('8c'), 'This is a Dash testnet address'],
  ['zcash', in58('1d25'), 'This is a Zcash testnet address'],
  ['zcash', in32('zs', LONG), 'This is not a Zcash address'],
  [
    'zcash',
    'u1l9f0l4348negsncgr9pxd9d3qaxagmqv3lnexcplmufpq7muffvfaue6ksevfvd7wrz7xrvn95rc5zjtn7ugkmgh5rnxswmcj30y0pw52pn0zjvy38rn2esfgve64rj5pcmazxgpyuj',
    'Unified',
  ],
  [
    'bitcoincash',
    'bchtest:pr6m7j9njldwwzlg9v7v53unlr4jkmx6eyvwc0uz5t',
    'This is a Bitcoin Cash testnet address',
  ],
  ['bitcoincash', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6A', 'not a Bitcoin Cash'],
  ['bitcoincash', cash('bitcoincash', `03${LONG}`), 'not a Bitcoin Cash'],
  ['kaspa', cash('kaspa', `00${HASH}`), 'This is not a Kaspa address'],
  ['kaspa', cash('kaspatest', `00${LONG}`), 'This is a Kaspa testnet address'],
  ['kaspa', 'qpauqsvk7yf9unexwmxsnmg547mhyga37csh0kj53q6xxgl24ydxjsgzthw5j', 'This is not a Kaspa address'],
  ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD', 'The checksum of the address is wrong'],
  ['ethereum', '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'This is not an Ethereum address'],
  ['ethereum', '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'This is not an Ethereum address'],
  ['ethereum', `0x${HASH}0`, 'This is not an Ethereum address'],
  ['ethereum', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS', 'This is not an Ethereum address'],
  ['ethereum', 'vitalik.eth', 'This is not an Ethereum address'],
  ['ethereum', '0x0000000000000000000000000000000000000000', 'belongs to nobody'],
  ['solana', '11111111111111111111111111111111', 'belongs to nobody'],
  ['solana', base58.encode(hex.decode(LONG.slice(2))), 'This is not a Solana address'],
  ['solana', base58.encode(hex.decode(`${LONG}ff`)), 'This is not a Solana address'],
  ['solana', 'ho87cus3asrgumcemrv7unccwx6fj2ytnufyq1w7kclr', 'This is not a Solana address'],
  ['ripple', 'T719a5UwUCnEs54UsxG9CJYYDhwmFCqkr7wxCcNcfZ6p5GZ', 'This is an XRP Ledger testnet address'],
  ['ripple', inX(`0544${HASH}020000000000000001`), 'This is not an XRP Ledger address'],
  ['ripple', inX(`0544${HASH}000000000100000000`), 'This is not an XRP Ledger address'],
  ['ripple', inX(`0544${HASH}010000000000000001`), 'This is not an XRP Ledger address'],
  ['stellar', 'alice*example.com', 'This is not a Stellar address'],
  ['stellar', 'ga7qynf7sowq3glr2bgmzehxavirza4kvwltjjfc7mgxua74p7ujvsgz', 'This is not a Stellar address'],
  [
    'cardano',
    'addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz',
    'This is a Cardano testnet address',
  ],
  [
    'cardano',
    '37btjrVyb4KDXBNC4haBVPCrro8AQPHwvCMp3RFhhSVWwfFmZ6wwzSK6JK1hY6wHNmtrpTf1kdbva8TCneM2YsiXT7mrzT21EacHnPpz5YyUdj64na',
    'This is a Cardano testnet address',
  ],
  ['cardano', 'stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw', 'This is not a Cardano address'],
  // The main network's letters around a payload for the test network, and a payload that is cut short.
  ['cardano', in32('addr', `60${LONG.slice(0, 56)}`), 'This is not a Cardano address'],
  ['cardano', in32('addr', `61${LONG.slice(0, 54)}`), 'This is not a Cardano address'],
  ['cardano', in32('addr', `01${LONG.slice(0, 56)}`), 'This is not a Cardano address'],
  ['cosmos', in32('cosmosvaloper'), 'This is not a Cosmos Hub address'],
  ['cosmos', in32('cosmos', `${HASH}00`), 'This is not a Cosmos Hub address'],
  ['ton', 'kQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPgpP', 'This is a TON testnet address'],
  ['ton', `1:${LONG}`, 'This is not a TON address'],
  ['polkadot', '5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY', 'generic Substrate address'],
  ['near', 'alice.testnet', 'This is a NEAR testnet address'],
  ['near', 'alice', 'This is not a NEAR address'],
  ['near', 'Alice.near', 'This is not a NEAR address'],
  ['near', 'a..near', 'This is not a NEAR address'],
  ['near', 'a-.near', 'This is not a NEAR address'],
  ['near', '-a.near', 'This is not a NEAR address'],
  ['near', `${'a'.repeat(60)}.near`, 'This is not a NEAR address'],
  ['near', LONG.toUpperCase(), 'This is not a NEAR address'],
  ['aptos', '0x10', 'This is not an Aptos address'],
  ['aptos', LONG, 'This is not an Aptos address'],
  ['sui', `0x${LONG.slice(1)}`, 'Aptos'],
  ['sui', '0x2', 'This is not a Sui address'],
  ['tezos', in58('06a1a0'), 'This is not a Tezos address'],
  ['arweave', 'vLRHFqCw1uHu75xqB4fCDW-QxpkpJxBtFD9g4QYUbfx', 'This is not an Arweave address'],
  ['stacks', 'ST000000000000000000002AMW42H', 'This is a Stacks testnet address'],
  ['stacks', 'SPOOOOOOOOOOOOOOOOOOOO2Q6VF78', 'This is not a Stacks address'],
  ['stacks', 'sp2j6zy48gv1ez5v2v5rb9mp66sw86pykknrv9ej7', 'This is not a Stacks address'],
  ['starknet', `0x08${LONG.slice(2)}`, 'Aptos'],
  ['hedera', '0.0.123-esxsf', 'This is a Hedera testnet address'],
  ['hedera', '0.0.123-vfmkx', 'The checksum of the address is wrong'],
  ['hedera', '0.0.0', 'This is not a Hedera address'],
  ['hedera', '0.0.0123', 'This is not a Hedera address'],
  ['hedera', '1.0.123', 'This is not a Hedera address'],
  ['filecoin', 't17uoq6tp427uzv7fztkbsnn64iwotfrristwpryy', 'This is a Filecoin testnet address'],
  ['filecoin', 'F17UOQ6TP427UZV7FZTKBSNN64IWOTFRRISTWPRYY', 'This is not a Filecoin address'],
  ['eos', 'thirteenchars', 'EOS'],
  ['eos', 'eosio.', 'EOS'],
  ['eos', 'eosio9', 'EOS'],
  ['internetcomputer', 'aaaaa-aa', 'This is not an Internet Computer address'],
  ['internetcomputer', '2vxsx-fae', 'This is not an Internet Computer address'],
  ['internetcomputer', 'ryjl3tyaaaaaaaaaaabacai', 'This is not an Internet Computer address'],
  ['flow', '0x31ad40c07a2a9788', 'This is a Flow testnet address'],
  ['flow', '0xf8d6e0586b0a20c7', 'This is a Flow testnet address'],
  ['flow', '0x1654653399040a60', 'The checksum of the address is wrong'],
];

describe('checkAddress', () => {
  it.each([...pairs(PROVEN), ...pairs(FORMED)])('takes on %s %s', (id, address) => {
    expect(flawOf(id, address)).toBeUndefined();
  });

  it.each(WRONG)('refuses on %s %s: %s', (id, address, message) => {
    expect(flawOf(id, address)).toContain(message);
  });

  it.each(networks.map(network => [network.id, network] as const))('has a rule for %s', (_, network) => {
    const key = network.id in PROVEN || network.id in FORMED ? network.id : network.family;
    const good = [...(PROVEN[key] ?? []), ...(FORMED[key] ?? [])];
    expect(good.length).toBeGreaterThan(0);
    for (const address of good) expect(checkAddress(network, address, networks)).toBeUndefined();
    for (const address of ['Alice!', '0', `0x${'g'.repeat(40)}`, 'z'.repeat(256)]) {
      expect(checkAddress(network, address, networks)?.message).toMatch(/^This is not an? /);
    }
  });

  it('refuses on a network it has no rule for', () => {
    const network = { ...networkOf('cosmos'), id: 'dydx' as Network['id'], name: 'dYdX' };
    expect(checkAddress(network, in32('dydx'), networks)?.message).toBe('dYdX addresses cannot be checked');
  });

  const GENESIS = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa';
  const NO_ADDRESS = 'The address has characters that no address has';
  const NOT_BITCOIN = 'This is not a Bitcoin address';

  it.each([
    ['', 'The address is empty'],
    [` ${GENESIS}`, NO_ADDRESS],
    [`${GENESIS}\r\n`, NO_ADDRESS],
    [`${GENESIS}\u0000`, NO_ADDRESS],
    [`\u202e${GENESIS}`, NO_ADDRESS],
    [`${GENESIS}\u200b`, NO_ADDRESS],
    [GENESIS.replace('1', '１'), NO_ADDRESS],
    [GENESIS.replace('A', 'А'), NO_ADDRESS],
    [`"${GENESIS}"`, NO_ADDRESS],
    [`'${GENESIS}'`, NO_ADDRESS],
    [`\`${GENESIS}\``, NO_ADDRESS],
    ['\ud800', NO_ADDRESS],
    [`https://example.com/${GENESIS}`, NOT_BITCOIN],
    [`=${GENESIS}`, NOT_BITCOIN],
    [`+${GENESIS}`, NOT_BITCOIN],
    [`-${GENESIS}`, NOT_BITCOIN],
    ['@SUM(1)', NOT_BITCOIN],
    [`${GENESIS}?dt=1`, NOT_BITCOIN],
    [`${GENESIS}a`, NOT_BITCOIN],
    ['__proto__', NOT_BITCOIN],
    ['constructor', NOT_BITCOIN],
  ])('refuses the text %j: %s', (address, message) => {
    expect(flawOf('bitcoin', address)).toBe(message);
  });

  it('refuses at once what is too long', () => {
    for (const length of [257, 10_000_000]) {
      expect(flawOf('bitcoin', '1'.repeat(length))).toBe('The address is longer than 256 characters');
    }
  });
});

describe('another chain’s address', () => {
  it.each([
    ['ethereum', 'tron', 'This looks like a Tron address; Ethereum was asked for'],
    ['base', 'solana', 'This looks like a Solana address; Base was asked for'],
    ['tron', 'evm', 'This looks like an Ethereum address; Tron was asked for'],
    ['bitcoin', 'evm', 'This looks like an Ethereum address; Bitcoin was asked for'],
    ['solana', 'sui', 'This looks like an Aptos or Sui address; Solana was asked for'],
    // By its form it is Sui's too, by the case of its letters only Starknet's.
    ['sui', 'starknet', 'This looks like a Starknet address; Sui was asked for'],
    ['hedera', 'evm', 'This looks like an Ethereum address; Hedera was asked for'],
    ['injective', 'evm', 'This looks like an Ethereum address; Injective was asked for'],
    ['cosmos', 'osmosis', 'This looks like an Osmosis address; Cosmos Hub was asked for'],
    ['polkadot', 'kusama', 'This looks like a Kusama address; Polkadot was asked for'],
    ['ton', 'xrp', 'This looks like an XRP Ledger address; TON was asked for'],
    // A NEAR account may have any 64 digits, but these have the checksum of another chain.
    ['near', 'internetcomputer', 'This looks like an Internet Computer address; NEAR was asked for'],
  ])('is named on %s: %s', (id, other, message) => {
    expect(flawOf(id, (PROVEN[other] ?? FORMED[other] ?? [])[0] ?? '')).toBe(message);
  });

  /** Chains that write some addresses alike, so that nobody can tell them apart. */
  const SHARED = [['bitcoin', 'litecoin', 'bitcoincash']];

  it('with a checksum is never taken, and always named', () => {
    const seen: string[] = [];
    for (const [id, address] of pairs(PROVEN)) {
      const home = networkOf(id);
      for (const network of networks) {
        if (network.family === home.family && !['cosmos', 'polkadot', 'other'].includes(home.family))
          continue;
        if (network.id === home.id || (network.family === 'evm' && network.id !== 'ethereum')) continue;
        const message = checkAddress(network, address, networks)?.message;
        const isShared = SHARED.some(kin => kin.includes(network.id) && kin.includes(home.id));
        if (message === undefined && !isShared) seen.push(`${network.id} takes ${address}`);
        if (message?.includes(address)) seen.push(`${network.id} repeats ${address}`);
        if (message && !message.includes(home.name)) seen.push(`${network.id} on ${address}: ${message}`);
      }
    }
    expect(seen).toEqual([]);
  });
});
