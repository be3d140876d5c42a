/** Wallet addresses: each chain's own rules, the chain named where it is another's, and memos. */
import { createRequire } from 'node:module';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, base58xrp, bech32, bech32m, createBase58check, hex } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import catalog from '../../catalog/networks.json' with { type: 'json' };
import { checkAddress, checkMemo } from './address.ts';
import { crc32, polymod40 } from './address-sums.ts';
import type { Network } from './currency.ts';

const networks = catalog as unknown as Network[];

/** Twenty and thirty-two bytes to make addresses of. */
const HASH = 'f5bf48b397dae70be82b3cca4793f8eb2b6cdac9';
const LONG = `${HASH}000102030405060708090a0b`;

const base58checked = createBase58check(sha256);
const in58 = (prefix: string, body = HASH) => base58checked.encode(hex.decode(prefix + body));
const in32 = (prefix: string, body = HASH) => bech32.encode(prefix, bech32.toWords(hex.decode(body)), false);
const witness = (prefix: string, version: number, body: string) =>
  (version ? bech32m : bech32).encode(prefix, [version, ...bech32.toWords(hex.decode(body))]);
const inX = (body: string) => {
  const bytes = hex.decode(body);
  return base58xrp.encode(Uint8Array.from([...bytes, ...sha256(sha256(bytes)).subarray(0, 4)]));
};

const cash = (prefix: string, body: string) => {
  const head = [...prefix].map(letter => letter.charCodeAt(0) & 31);
  const words = bech32.toWords(hex.decode(body));
  const sum = polymod40([...head, 0, ...words, 0, 0, 0, 0, 0, 0, 0, 0]);
  const tail = Array.from({ length: 8 }, (_, at) => Number((sum >> BigInt(5 * (7 - at))) & 31n));
  return `${prefix}:${[...words, ...tail].map(word => 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'[word]).join('')}`;
};

/** By id or family: what a checksum proves. From the specifications' test vectors, well-known accounts, or made above. */
const PROVEN: Record<string, string[]> = {
  bitcoin: [
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
    '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4',
    'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ],
  evm: [
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ],
  tron: ['TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7'],
  litecoin: [
    'LVg2kJoFNg45Nbpy53h7Fe1wKyeXVRhMH9',
    'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441',
    '3CDJNfdWX8m2NwuGUV3nhXHXEeLygMXoAj',
    'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
    witness('ltc', 1, LONG),
  ],
  dogecoin: ['DBXu2kgc3xtvCUWFcxFE3r9hEYgmuaaCyD', in58('16')],
  bitcoincash: [
    'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a',
    'BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A',
    'bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq',
    'bitcoincash:zr6m7j9njldwwzlg9v7v53unlr4jkmx6eycnjehshe',
    cash('bitcoincash', `0b${LONG}`),
    '1BpEi6DfDAUFd7GtittLSdBeYJvcoaVggu',
  ],
  xrp: [
    'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh',
    'X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ',
    inX(`0544${HASH}01ffffffff00000000`),
  ],
  stellar: [
    'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
    'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ',
  ],
  cardano: [
    'addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x',
    'addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgs9yc0hh',
    'addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k',
    'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8',
    'addr1w8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcyjy7wx',
    'Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAi',
    'DdzFFzCqrhtCNjPk5Lei7E1FxnoqMoAYtJ8VjAWbFmDb614nNBWBwv3kt6QHJa59cGezzf6piMWsbK7sWRB5sv325QqWdRuusMqqLdMt',
  ],
  cosmos: ['cosmos1fl48vsnmsdzcv85q5d2q4z5ajdha8yu34mf0eh', in32('cosmos', LONG)],
  osmosis: ['osmo1clpqr4nrk4khgkxj78fcwwh6dl3uw4epasmvnj'],
  injective: [in32('inj')],
  celestia: ['celestia1fl48vsnmsdzcv85q5d2q4z5ajdha8yu3y3clr6'],
  noble: [in32('noble')],
  ton: [
    'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF',
    'UQC-3ilVr-W0Uc3pLrGJElwSaFxvhXXfkiQA3EwdVBHNNbbp',
    'EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff+W72r5gqPrHF',
    'Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF',
  ],
  polkadot: [
    '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5',
    '1FRMM8PEiWXYax7rpS6X4XZX1aAAxSWx1CrKTyrVYhV24fg',
  ],
  kusama: ['HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F'],
  algorand: [
    'VQD6TBRL6BH6NAGIPEUG6JZUCPJVXB3GPTHEU5WTKX5DDGSR3AXNKBN5FQ',
    '7ZUECA7HFLZTXENRV24SHLU4AVPUTMTTDUFUBNBD64C73F3UHRTHAIOF6Q',
  ],
  tezos: [
    'tz1VSUr8wwNhLAzempoch5d6hLRiTh8Cjcjb',
    'tz2BFTyPeYRzxd5aiBchbXN3WCZhx7BqbMBq',
    'tz3WXYtyDUNL91qfiCJtVUX746QpNv5i5ve5',
    'tz4HVR6aty9KwsQFHh81C1G7gBdhxT8kuytm',
    'KT1PWx2mnDueood7fEmfbBDKx1D9BAnnXitn',
  ],
  dash: ['XpESxaUmonkq8RaLLp46Brx2K39ggQe226', '7gnwGHt17heGpG9Crfeh4KGpYNFugPhJdh'],
  zcash: [
    't1Hsc1LR8yKnbbe3twRp88p6vFfC5t7DLbs',
    't3Vz22vK5z2LcKEdg16Yv4FFneEL1zg9ojd',
    'zs1z7rejlpsa98s2rrrfkwmaxu53e4ue0ulcrw0h4x5g8jl04tak0d3mm47vdtahatqrlkngh9slya',
    'tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte',
  ],
  stacks: [
    'SP2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKNRV9EJ7',
    'SM2J6ZY48GV1EZ5V2V5RB9MP66SW86PYKKQVX8X0G',
    'SP000000000000000000002Q6VF78',
  ],
  starknet: ['0x06eC96291A904b8B62B446FB32fC9903b5f82D73D7CA319E03ba45D50788Ec30'],
  hedera: ['0.0.123-vfmkw'],
  kaspa: [
    'kaspa:qpauqsvk7yf9unexwmxsnmg547mhyga37csh0kj53q6xxgl24ydxjsgzthw5j',
    'kaspa:qypu7vn4dkvv4pzhwy9gp5r6n80ym3c6wdfgpum5zpg6de8gznl9xnghhscjnpt',
    cash('kaspa', `08${LONG}`),
  ],
  filecoin: [
    'f17uoq6tp427uzv7fztkbsnn64iwotfrristwpryy',
    'f24vg6ut43yw2h2jqydgbg2xq7x6f4kub3bg6as6i',
    'f3vvmn62lofvhjd2ugzca6sof2j2ubwok6cj4xxbfzz4yuxfkgobpihhd2thlanmsh3w2ptld2gqkn2jvlss4a',
    'f410fkkld55ioe7qg24wvt7fu6pbknb56ht7pt4zamxa',
  ],
  multiversx: ['erd1spyavw0956vq68xj8y4tenjpq2wd5a9p2c6j8gsz7ztyrnpxrruqzu66jx'],
  internetcomputer: [
    'd4685b31b51450508aff0331584df7692a84467b680326f5c5f7d30ae711682f',
    'k2t6j-2nvnp-4zjm3-25dtz-6xhaa-c7boj-5gayf-oj3xs-i43lp-teztq-6ae',
    'ryjl3-tyaaa-aaaaa-aaaba-cai',
  ],
  flow: ['0x1654653399040a61', '0xa340dc0a4ec828ab'],
};

/** What nothing but its form speaks for. */
const FORMED: Record<string, string[]> = {
  evm: [
    '0x52908400098527886E0F7030069857D2E4169EE7',
    '0xde709f2102306220921060314715629080e2fb77',
    `0x${HASH.toUpperCase()}`,
  ],
  solana: ['Ho87cuS3aSRgUMCeMrV7uNCCWx6Fj2ytnufYQ1W7KCLr', 'So11111111111111111111111111111111111111112'],
  ton: [`0:${LONG}`, `-1:${LONG.toUpperCase()}`],
  near: ['alice.near', 'sub-1.user_name.near', 'slimedrgn.tg', LONG],
  aptos: [`0x${LONG}`, '0x1', `0x${LONG.slice(1)}`],
  sui: [`0x${LONG}`],
  arweave: ['vLRHFqCw1uHu75xqB4fCDW-QxpkpJxBtFD9g4QYUbfw'],
  starknet: [
    '0x0000090591D9fA3EfC87067d95a643f8455E0b8190eb8Cb7bFd39e4fb7571fDF',
    '0x02fd23d9182193775423497fc0c472e156c57c69e4089a1967fb288a2d84e914',
    `0x2fd${LONG.slice(4)}`,
  ],
  hedera: ['0.0.123', '0.0.9999999999'],
  filecoin: ['f01024'],
  eos: ['eosio.token', 'b1', 'abcde12345.a'],
};

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

function networkOf(id: string): Network {
  const network = networks.find(one => one.id === id) ?? networks.find(one => one.family === id);
  if (!network) throw new Error(`no network ${id}`);
  return network;
}

/** The message, or nothing where the address is right. */
function flawOf(id: string, address: string): string | undefined {
  return checkAddress(networkOf(id), address, networks)?.message;
}

/** Whether the address is right, without a look at other chains. */
function isTaken(id: string, address: string): boolean {
  return checkAddress(networkOf(id), address, []) === undefined;
}

const pairs = (table: Record<string, string[]>) =>
  Object.entries(table).flatMap(([id, addresses]) => addresses.map(address => [id, address] as const));

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

describe('a checksum', () => {
  const LETTERS = [...'0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_.:+/'];
  /** TON writes the same in either. */
  const OTHER_ALPHABET = ['-+', '+-', '_/', '/_'];

  // Seeded, because the weakest (EIP-55, and the two bytes of SS58) let one change in tens of thousands through.
  it.each(pairs(PROVEN))('notices any one letter changed on %s in %s', (id, address) => {
    const change = fc.tuple(fc.nat(address.length - 1), fc.constantFrom(...LETTERS));
    fc.assert(
      fc.property(change, ([at, letter]) => {
        fc.pre(letter !== address[at] && !OTHER_ALPHABET.includes(letter + address[at]));
        expect(isTaken(id, address.slice(0, at) + letter + address.slice(at + 1))).toBe(false);
      }),
      { seed: 1, numRuns: 150 },
    );
  });

  it.each(pairs(PROVEN))('notices a letter lost, doubled or swapped on %s in %s', (id, address) => {
    for (let at = 0; at < address.length; at++) {
      const [head, letter, rest] = [address.slice(0, at), address[at] ?? '', address.slice(at + 1)];
      const swapped = rest.slice(0, 1) + letter + rest.slice(1);
      // Starknet's leading zeros may be left out.
      if (head + letter !== '0x0') expect(isTaken(id, head + rest)).toBe(false);
      expect(isTaken(id, head + letter + letter + rest)).toBe(false);
      if (swapped !== letter + rest) expect(isTaken(id, head + swapped)).toBe(false);
    }
  });

  it('of Byron is written with two bytes when it is small', () => {
    const payload = `83581c0000398a${LONG.slice(0, 48)}a000`;
    expect(hex.encode(crc32(hex.decode(payload)))).toBe('0000b0ce');
    const address = (sum: string) => base58.encode(hex.decode(`82d8185821${payload}${sum}`));
    expect(flawOf('cardano', address('19b0ce'))).toBeUndefined();
    expect(flawOf('cardano', address('19b0cf'))).toBe('The checksum of the address is wrong');
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

describe('whatever the text', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'binary-ascii', maxLength: 300 }),
    fc.string({ unit: fc.constantFrom(...'0123456789abcdefABCDEFqpzry1xXST:.-'), maxLength: 120 }),
    fc
      .tuple(
        fc.constantFrom(...pairs(PROVEN).map(([, address]) => address)),
        fc.string({ unit: 'grapheme', maxLength: 4 }),
      )
      .map(([address, end]) => address + end),
    fc.constantFrom('9', 'z', '1', '0', 'ｚ').map(letter => letter.repeat(1_000_000)),
  );

  it('an answer is given, and it does not repeat the text', () => {
    fc.assert(
      fc.property(fc.constantFrom(...networks), anyText, (network, text) => {
        const message = checkAddress(network, text, networks)?.message;
        if (message && text.length > 20) expect(message).not.toContain(text);
      }),
      { numRuns: 2_000 },
    );
  });

  it('an answer is given about memos too', () => {
    fc.assert(
      fc.property(fc.constantFrom(...networks), anyText, anyText, (network, memo, address) => {
        const message = checkMemo(network, memo, address)?.message;
        if (!network.tag) expect(message).toBe(`${network.name} addresses take no memo`);
      }),
    );
  });
});

interface Oracle {
  validate(address: string, currency: string): boolean;
}

describe('multicoin-address-validator', () => {
  const require = createRequire(import.meta.url);
  const oracle = require('multicoin-address-validator') as Oracle;
  const judge = (address: string, symbol: string) => {
    try {
      return oracle.validate(address, symbol);
    } catch {
      return false;
    }
  };

  /** What it calls each; `laxer` where it takes other prefixes, lengths, letters or, of CashAddr, any checksum. */
  const SYMBOLS: [id: string, symbol: string, laxer?: 'laxer'][] = [
    ['bitcoin', 'btc'],
    ['litecoin', 'ltc'],
    ['dogecoin', 'doge'],
    ['dash', 'dash'],
    ['zcash', 'zec'],
    ['bitcoincash', 'bch', 'laxer'],
    ['evm', 'eth'],
    ['tron', 'trx'],
    ['xrp', 'xrp'],
    ['stellar', 'xlm'],
    ['cardano', 'ada'],
    ['algorand', 'algo', 'laxer'],
    ['aptos', 'apt'],
    ['hedera', 'hbar', 'laxer'],
    ['polkadot', 'dot', 'laxer'],
    ['tezos', 'xtz', 'laxer'],
    ['solana', 'sol', 'laxer'],
    ['eos', 'eos', 'laxer'],
  ];

  /** Forms it does not know. */
  const UNKNOWN =
    /^(3C|zs|tex|X7|XV|M[A-Z2-7]{68}|bitcoincash:z|BITCOINCASH|0\.0\.123-|bitcoincash:p0|0x1$|0x5bf|b1$|eosio\.token)/;

  it.each(SYMBOLS)('agrees on %s', (id, symbol, laxer) => {
    const known = [...(PROVEN[id] ?? []), ...(FORMED[id] ?? [])].filter(address => !UNKNOWN.test(address));
    expect(known.length).toBeGreaterThan(0);
    const change = fc.tuple(fc.constantFrom(...known), fc.nat(), fc.constantFrom(...'019aAzZlO'));
    fc.assert(
      fc.property(change, ([address, position, letter]) => {
        const at = position % address.length;
        const changed = address.slice(0, at) + letter + address.slice(at + 1);
        for (const text of [address, changed]) {
          const [ours, theirs] = [isTaken(id, text), judge(text, symbol)];
          if (laxer) expect(theirs || !ours).toBe(true);
          else expect([text, ours]).toEqual([text, theirs]);
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });
});

describe('checkMemo', () => {
  const TAGGED = 'XV5sbjUmgPpvXv4ixFWZ5ptAYZ6PD2m4Er6SnvjVLpMWPjR';
  const memoFlaw = (id: string, memo: string | undefined, address = '') =>
    checkMemo(networkOf(id), memo, address)?.message;

  it.each(networks.map(network => [network.id] as const))('is never demanded on %s', id => {
    expect(memoFlaw(id, undefined)).toBeUndefined();
  });

  it.each(networks.map(network => [network.id, network.tag === true] as const))(
    'is taken on %s: %s',
    (id, tag) => {
      expect(memoFlaw(id, '12345') === undefined).toBe(tag);
    },
  );

  it.each([
    ['ripple', '0'],
    ['ripple', '999999999'],
    ['ripple', '4294967295'],
    ['stellar', 'hello'],
    ['stellar', 'é'.repeat(14)],
    ['stellar', '18446744073709551615'],
    ['cosmos', 'm'.repeat(256)],
    ['osmosis', '103456789'],
    ['ton', 'c'.repeat(120)],
    ['stacks', 'm'.repeat(34)],
    ['hedera', 'm'.repeat(100)],
    ['eos', 'order 17, "thanks"'],
  ])('takes on %s %s', (id, memo) => {
    expect(memoFlaw(id, memo)).toBeUndefined();
  });

  it.each([
    ['bitcoin', '1', 'Bitcoin addresses take no memo'],
    ['base', 'x', 'Base addresses take no memo'],
    ['solana', '', 'Solana addresses take no memo'],
    ['ripple', '', 'The memo is empty'],
    ['ripple', '4294967296', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '9999999999', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '10000000000', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '-1', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '1.0', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '1e3', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '0x10', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '007', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '１', 'A destination tag is a number from 0 to 4294967295'],
    ['ripple', '1\n', 'The memo has characters that cannot be seen'],
    ['stellar', 'm'.repeat(29), 'The memo is longer than 28 bytes'],
    ['stellar', 'é'.repeat(15), 'The memo is longer than 28 bytes'],
    ['cosmos', 'm'.repeat(257), 'The memo is longer than 256 characters'],
    ['cosmos', 'é'.repeat(129), 'The memo is longer than 256 bytes'],
    ['ton', 'c'.repeat(121), 'The memo is longer than 120 bytes'],
    ['stacks', 'm'.repeat(35), 'The memo is longer than 34 bytes'],
    ['hedera', 'm'.repeat(101), 'The memo is longer than 100 bytes'],
    ['hedera', 'a\u202eb', 'The memo has characters that cannot be seen'],
    ['eos', 'a\ud800', 'The memo has characters that cannot be seen'],
    ['eos', 'a\u2028b', 'The memo has characters that cannot be seen'],
  ])('refuses on %s %j: %s', (id, memo, message) => {
    expect(memoFlaw(id, memo)).toBe(message);
  });

  it('refuses a second one where the address has it inside', () => {
    const inside = 'The address already has its memo inside';
    expect(memoFlaw('ripple', '1', TAGGED)).toBe(inside);
    expect(memoFlaw('ripple', '1', inX(`0544${HASH}010000000000000000`))).toBe(inside);
    expect(memoFlaw('ripple', '1', inX(`0544${HASH}000000000000000000`))).toBeUndefined();
    expect(memoFlaw('ripple', '1', 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh')).toBeUndefined();
    expect(memoFlaw('ripple', undefined, TAGGED)).toBeUndefined();
    expect(memoFlaw('stellar', '1', PROVEN.stellar?.[1])).toBe(inside);
    expect(memoFlaw('stellar', '1', PROVEN.stellar?.[0])).toBeUndefined();
  });
});
