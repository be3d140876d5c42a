/** Wallet addresses that are known to be right, what others are made of, and how they are judged. */
import { sha256 } from '@noble/hashes/sha2.js';
import { base58xrp, bech32, bech32m, createBase58check, hex } from '@scure/base';
import catalog from '../catalog/networks.json' with { type: 'json' };
import { checkAddress } from '../src/domain/address.ts';
import { polymod40 } from '../src/domain/address-sums.ts';
import type { Network } from '../src/domain/currency.ts';

export const networks = catalog as unknown as Network[];

/** Twenty and thirty-two bytes to make addresses of. */
export const HASH = 'f5bf48b397dae70be82b3cca4793f8eb2b6cdac9';
export const LONG = `${HASH}000102030405060708090a0b`;

const base58checked = createBase58check(sha256);
export const in58 = (prefix: string, body = HASH) => base58checked.encode(hex.decode(prefix + body));
export const in32 = (prefix: string, body = HASH) =>
  bech32.encode(prefix, bech32.toWords(hex.decode(body)), false);
const witness = (prefix: string, version: number, body: string) =>
  (version ? bech32m : bech32).encode(prefix, [version, ...bech32.toWords(hex.decode(body))]);
export const inX = (body: string) => {
  const bytes = hex.decode(body);
  return base58xrp.encode(Uint8Array.from([...bytes, ...sha256(sha256(bytes)).subarray(0, 4)]));
};

export const cash = (prefix: string, body: string) => {
  const head = [...prefix].map(letter => letter.charCodeAt(0) & 31);
  const words = bech32.toWords(hex.decode(body));
  const sum = polymod40([...head, 0, ...words, 0, 0, 0, 0, 0, 0, 0, 0]);
  const tail = Array.from({ length: 8 }, (_, at) => Number((sum >> BigInt(5 * (7 - at))) & 31n));
  return `${prefix}:${[...words, ...tail].map(word => 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'[word]).join('')}`;
};

/** By id or family: what a checksum proves. From the specifications' test vectors, well-known accounts, or made above. */
export const PROVEN: Record<string, string[]> = {
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
export const FORMED: Record<string, string[]> = {
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

export function networkOf(id: string): Network {
  const network = networks.find(one => one.id === id) ?? networks.find(one => one.family === id);
  if (!network) throw new Error(`no network ${id}`);
  return network;
}

/** The message, or nothing where the address is right. */
export function flawOf(id: string, address: string): string | undefined {
  return checkAddress(networkOf(id), address, networks)?.message;
}

/** Whether the address is right, without a look at other chains. */
export function isTaken(id: string, address: string): boolean {
  return checkAddress(networkOf(id), address, []) === undefined;
}

export const pairs = (table: Record<string, string[]>) =>
  Object.entries(table).flatMap(([id, addresses]) => addresses.map(address => [id, address] as const));
