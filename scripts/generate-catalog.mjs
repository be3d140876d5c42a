// The canonical catalog: checks catalog/source.json and writes the lists and icons beside it.
//
//   node scripts/generate-catalog.mjs                 install the sources into a temp folder and write everything
//   node scripts/generate-catalog.mjs --from <dir>    the same, with sources already installed in <dir>
//   node scripts/generate-catalog.mjs --check         compare the committed files with each other, offline

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', 'catalog');
const ZERO = '0x0000000000000000000000000000000000000000';
const MAX_ICON_BYTES = 12_000;
const MAX_TOTAL_BYTES = 2_500_000;

/** Everything taken at generation time. Exact versions, so that two runs give the same bytes. */
const PACKAGES = [
  '@noble/hashes@1.8.0',
  'viem@2.56.0',
  '@metamask/contract-metadata@2.5.0',
  '@bgd-labs/aave-address-book@4.44.22',
  '@iconify-json/token-branded@1.2.45',
  '@iconify-json/cryptocurrency-color@1.2.4',
  'circle-flags@2.8.3',
  'simple-icons@16.36.0',
  'countries-list@3.4.1',
];

/** Ids that public clients have built in, or that the contract names. */
const MUST_HAVE = [
  ...'ethereum optimism bsc gnosis polygon zksync base arbitrum celo avaxc linea solana'
    .split(' ')
    .map(network => `usdc_${network}`),
  ...'ethereum tron bsc polygon arbitrum optimism avaxc solana ton celo'.split(' ').map(n => `usdt_${n}`),
  ...'optimism base arbitrum linea zksync scroll unichain worldchain'.split(' ').map(n => `eth_${n}`),
  'btc_bitcoin',
  'eth_ethereum',
  'sol_solana',
  'ltc_litecoin',
  'ar_arweave',
  'stx_stacks',
  'strk_starknet',
  'cake_bsc',
];

const MUST_BE_MAIN = [
  'btc_bitcoin',
  'eth_ethereum',
  'sol_solana',
  'ltc_litecoin',
  'trx_tron',
  'xrp_ripple',
].concat([
  'bnb_bsc',
  'pol_polygon',
  'avax_avaxc',
  'ton_ton',
  'doge_dogecoin',
  'bch_bitcoincash',
  'dai_ethereum',
]);

const FAMILIES = new Set(
  `bitcoin evm solana tron litecoin dogecoin bitcoincash xrp stellar cardano cosmos ton polkadot near algorand tezos
   aptos sui dash zcash other`.split(/\s+/),
);

const problems = [];
const complain = line => problems.push(line);

async function generate() {
  const from = process.argv.indexOf('--from');
  const folder = from > 0 ? process.argv[from + 1] : install();
  const sources = await openSources(folder);
  if (from < 0) process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const source = readJson('source.json');

  const networks = listNetworks(source);
  const assets = listAssets(source);
  verifyNetworks(source, sources.chains);
  verifyTokens(source, sources);
  checkLists({ networks, assets });
  if (problems.length > 0) return;

  const fiats = source.fiats.map(code => fiatEntry(code, source));
  const methods = source.paymentMethods.map(({ id, name, legacy }) => ({ id, name, legacy }));
  writeList('networks.json', networks);
  writeList('assets.json', assets);
  writeList('fiats.json', fiats);
  writeList('countries.json', listCountries(sources.countries));
  writeList('payment-methods.json', methods);
  writeIcons({ source, sources, assets, networks, fiats });
  check();
}

// ---- sources ----

function install() {
  const folder = mkdtempSync(join(tmpdir(), 'cloverleaf-catalog-'));
  const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error'];
  execFileSync('npm', ['install', '--prefix', folder, ...flags, ...PACKAGES], {
    stdio: 'inherit',
    cwd: folder,
  });
  return folder;
}

async function openSources(folder) {
  const inside = path => join(folder, 'node_modules', path);
  const load = path => import(pathToFileURL(inside(path)).href);
  const json = path => JSON.parse(readFileSync(inside(path), 'utf8'));
  const require = createRequire(join(folder, 'index.js'));
  const { keccak_256 } = await load('@noble/hashes/sha3.js');
  const brands = require('simple-icons');
  return {
    keccak: keccak_256,
    chains: await load('viem/_esm/chains/index.js'),
    metamask: json('@metamask/contract-metadata/contract-map.json'),
    aave: await load('@bgd-labs/aave-address-book/dist/AaveAddressBook.mjs'),
    tokens: json('@iconify-json/token-branded/icons.json'),
    coins: json('@iconify-json/cryptocurrency-color/icons.json'),
    countries: require('countries-list').countries,
    flag: name => readFileSync(inside(`circle-flags/flags/${name}.svg`), 'utf8'),
    brand: slug => Object.values(brands).find(icon => icon?.slug === slug),
  };
}

// ---- lists ----

function listNetworks({ networks }) {
  return networks.map(({ id, name, chainId, native, family, tag }) => ({
    id,
    name,
    chainId,
    native: `${native.code.toLowerCase()}_${id}`,
    family,
    ...(tag ? { tag: true } : {}),
  }));
}

function listAssets({ networks, tokens }) {
  const natives = networks.map(({ id, native }) => ({ ...native, network: id, address: ZERO }));
  const deployed = tokens.flatMap(({ code, name, main, on }) =>
    Object.entries(on).map(([network, { address, decimals }]) => ({
      code,
      name,
      network,
      decimals,
      address,
      home: main,
    })),
  );
  const all = [...natives, ...deployed];
  const former = new Set(natives.map(native => native.formerly));
  return all.map(({ code, name, network, decimals, address, formerly }) => ({
    id: `${code.toLowerCase()}_${network}`,
    code,
    name,
    symbol: code,
    network,
    decimals,
    address,
    // What was the code of another coin means neither.
    main: !former.has(code) && network === homeOf(all.filter(other => other.code === code)),
    ...(formerly && { formerly }),
  }));
}

/** The network a bare code means: the only one, the one the source names, or none. */
function homeOf(places) {
  if (places.length === 1) return places[0].network;
  return places.find(place => place.main)?.network ?? places.find(place => place.home)?.home;
}

/** Intl has the digits of daily use for some currencies (forint, rupiah); the source keeps ISO 4217's where they differ. */
function fiatEntry(code, { minorDigits }) {
  const format = new Intl.NumberFormat('en', {
    style: 'currency',
    currency: code,
    currencyDisplay: 'narrowSymbol',
  });
  return {
    id: code.toLowerCase(),
    code,
    name: new Intl.DisplayNames('en', { type: 'currency' }).of(code),
    symbol: format.formatToParts(0).find(part => part.type === 'currency').value,
    decimals: minorDigits[code] ?? format.resolvedOptions().maximumFractionDigits,
  };
}

/**
 * In countries-list but not assigned by ISO 3166-1: Ascension and Tristan da Cunha. Kosovo's is not either, but everybody
 * writes it so, and people there come from addresses of that country.
 */
const NOT_ASSIGNED = ['AC', 'TA'];

function listCountries(countries) {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return Object.keys(countries)
    .filter(code => !NOT_ASSIGNED.includes(code))
    .sort()
    .map(code => ({ code, name: names.of(code), currency: countries[code].currency[0] ?? null }));
}

// ---- checks of the hand-kept source, with the packages ----

function verifyNetworks({ networks }, chains) {
  for (const { id, viem, chainId, family, native } of networks) {
    if (!viem) {
      if (chainId !== 0 || family === 'evm') complain(`network ${id}: an EVM network names its viem chain`);
      continue;
    }
    const chain = chains[viem];
    if (chain?.id !== chainId) complain(`network ${id}: chain id ${chainId}, viem says ${chain?.id}`);
    if (
      chain?.nativeCurrency.symbol.toUpperCase() !== native.code ||
      chain?.nativeCurrency.decimals !== native.decimals
    )
      complain(`network ${id}: native coin differs from viem's ${chain?.nativeCurrency.symbol}`);
  }
}

function verifyTokens({ networks, tokens }, { keccak, metamask, aave }) {
  const network = new Map(networks.map(entry => [entry.id, entry]));
  const decimalsSeen = witnessedDecimals(metamask, aave);
  for (const { code, on } of tokens)
    for (const [id, { address, decimals, seen }] of Object.entries(on)) {
      const where = `${code} on ${id}`;
      const { family, chainId } = network.get(id) ?? {};
      if (!family) complain(`${where}: unknown network`);
      if (!seen?.length) complain(`${where}: says nowhere where its address was seen`);
      if (!isTokenAddress(family, id, address, keccak))
        complain(`${where}: bad address or checksum: ${address}`);
      const witnessed = decimalsSeen.get(`${chainId}:${address.toLowerCase()}`);
      if (witnessed !== undefined && witnessed !== decimals)
        complain(`${where}: ${decimals} decimals, a source package says ${witnessed}`);
    }
}

function witnessedDecimals(metamask, aave) {
  const seen = new Map();
  for (const [address, { erc20, decimals }] of Object.entries(metamask))
    if (erc20) seen.set(`1:${address.toLowerCase()}`, decimals);
  for (const market of Object.values(aave))
    for (const { UNDERLYING, decimals } of Object.values(market?.ASSETS ?? {}))
      seen.set(`${market.CHAIN_ID}:${UNDERLYING.toLowerCase()}`, decimals);
  return seen;
}

function isTokenAddress(family, network, address, keccak) {
  if (family === 'evm') return address === checksummed(address, keccak);
  if (family === 'tron') return isBase58Check(address, BITCOIN_ALPHABET, 0x41);
  if (family === 'xrp') return isBase58Check(address, RIPPLE_ALPHABET, 0);
  if (family === 'solana') return base58(address, BITCOIN_ALPHABET)?.length === 32;
  if (family === 'stellar') return isStellarIssuer(address);
  if (family === 'ton') return isTonAddress(address);
  if (family === 'sui') return /^0x[0-9a-f]{64}::\w+::\w+$/.test(address);
  if (family === 'aptos') return /^0x[0-9a-f]{64}$/.test(address);
  if (family === 'near') return /^([0-9a-f]{64}|[a-z0-9._-]+\.near)$/.test(address);
  if (family === 'algorand') return /^[1-9]\d*$/.test(address);
  if (network === 'hedera') return /^0\.0\.[1-9]\d*$/.test(address);
  if (network === 'starknet') return /^0x0[0-9a-f]{63}$/.test(address);
  return false;
}

/** EIP-55. */
function checksummed(address, keccak) {
  if (!/^0x[0-9a-fA-F]{40}$/.test(address)) return undefined;
  const hex = address.slice(2).toLowerCase();
  const hash = Buffer.from(keccak(new TextEncoder().encode(hex))).toString('hex');
  const cased = [...hex].map((digit, i) => (Number.parseInt(hash[i], 16) > 7 ? digit.toUpperCase() : digit));
  return `0x${cased.join('')}`;
}

const BITCOIN_ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const RIPPLE_ALPHABET = 'rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz';

function base58(text, alphabet) {
  let value = 0n;
  for (const letter of text) {
    const digit = alphabet.indexOf(letter);
    if (digit < 0) return undefined;
    value = value * 58n + BigInt(digit);
  }
  const hex = value === 0n ? '' : value.toString(16);
  const zeros = [...text].findIndex(letter => letter !== alphabet[0]);
  return Buffer.concat([
    Buffer.alloc(Math.max(zeros, 0)),
    Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex'),
  ]);
}

function isBase58Check(text, alphabet, version) {
  const bytes = base58(text, alphabet);
  if (bytes?.length !== 25 || bytes[0] !== version) return false;
  return sha256(sha256(bytes.subarray(0, 21)))
    .subarray(0, 4)
    .equals(bytes.subarray(21));
}

function sha256(bytes) {
  return createHash('sha256').update(bytes).digest();
}

function isStellarIssuer(text) {
  if (!/^G[A-Z2-7]{55}$/.test(text)) return false;
  const bits = [...text]
    .map(c => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(c).toString(2).padStart(5, '0'))
    .join('');
  const bytes = Buffer.from(bits.match(/.{8}/g).map(byte => Number.parseInt(byte, 2)));
  return crc16(bytes.subarray(0, 33)) === bytes.readUInt16LE(33);
}

function isTonAddress(text) {
  if (!/^EQ[A-Za-z0-9_-]{46}$/.test(text)) return false;
  const bytes = Buffer.from(text, 'base64url');
  return crc16(bytes.subarray(0, 34)) === bytes.readUInt16BE(34);
}

/** CRC-16/XMODEM. */
function crc16(bytes) {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc;
}

// ---- icons ----

function writeIcons({ source, sources, assets, networks, fiats }) {
  rmSync(join(ROOT, 'icons'), { recursive: true, force: true });
  for (const folder of ['crypto', 'fiat', 'payment', 'network'])
    mkdirSync(join(ROOT, 'icons', folder), { recursive: true });
  const write = (folder, name, svg) => writeFileSync(join(ROOT, 'icons', folder, `${name}.svg`), `${svg}\n`);

  for (const code of new Set(assets.map(asset => asset.code)))
    write(
      'crypto',
      code.toLowerCase(),
      tokenIcon(named(source.icons.crypto, code, code.toLowerCase()), code, sources),
    );
  for (const { id, name } of networks)
    write(
      'network',
      id,
      tokenIcon(named(source.icons.network, id, id), name.slice(0, 2).toUpperCase(), sources),
    );
  for (const { code } of fiats) write('fiat', code.toLowerCase(), fiatIcon(code, source, sources));
  for (const { id, icon } of source.paymentMethods) write('payment', id, paymentIcon(icon, sources));
}

/** An override of null asks for the lettered disc, where a package's icon of that name is another project's. */
function named(overrides, key, otherwise) {
  return Object.hasOwn(overrides, key) ? overrides[key] : otherwise;
}

function tokenIcon(name, letters, { tokens, coins }) {
  const token = name && iconBody(tokens, `${name}-background`);
  const tile = token && shorten(scoped(`<g clip-path="url(#disc)">${token}</g>${DISC}`, `t-${name}`));
  if (tile && tile.length < MAX_ICON_BYTES - 200) return svg(24, 24, tile);
  const coin = name && iconBody(coins, name);
  if (coin && coin.length < MAX_ICON_BYTES - 200) return svg(32, 32, scoped(shorten(coin), `c-${name}`));
  return letterDisc(letters);
}

const DISC = '<defs><clipPath id="disc"><circle cx="12" cy="12" r="12"/></clipPath></defs>';

function iconBody(set, name) {
  const key = set.aliases?.[name]?.parent ?? name;
  const body = set.icons[key]?.body;
  return body && isSafe(body) ? body : undefined;
}

/** Ids carry the icon's name, so that two icons can stand in one document. */
function scoped(body, prefix) {
  const ids = [...new Set([...body.matchAll(/\sid="([^"]+)"/g)].map(match => match[1]))];
  return ids.reduce(
    (text, id, i) =>
      text
        .replaceAll(`id="${id}"`, `id="${prefix}-${i}"`)
        .replaceAll(`#${id})`, `#${prefix}-${i})`)
        .replaceAll(`href="#${id}"`, `href="#${prefix}-${i}"`),
    body,
  );
}

/** Two decimals are a hundredth of a unit in a box of 24: not to be seen. */
function shorten(body) {
  if (body.length < MAX_ICON_BYTES / 2) return body;
  return body.replace(/\sd="[^"]+"/g, d => d.replace(/(\d*\.\d\d)\d+/g, '$1'));
}

function letterDisc(letters) {
  const hue = createHash('sha256').update(letters).digest().readUInt16BE(0) % 360;
  const text = drawText(letters.slice(0, 4), { x: 12, y: 12, width: 15, height: 8, color: '#fff' });
  return svg(24, 24, `<circle cx="12" cy="12" r="12" fill="hsl(${hue},45%,42%)"/>${text}`);
}

/** Words are drawn, not set in a font: an icon looks the same everywhere, also where no font is installed. */
function drawText(text, { x, y, width, height, color }) {
  const glyphs = [...text.toUpperCase()].map(letter => ALPHABET[letter]);
  const total = glyphs.reduce((sum, [wide]) => sum + wide + LETTER_GAP, -LETTER_GAP);
  const scale = Math.min(width / (total + 1), height / 7);
  let at = 0;
  const paths = glyphs.map(([wide, d]) => {
    const path = `<path d="${d}"${at ? ` transform="translate(${round(at)})"` : ''}/>`;
    at += wide + LETTER_GAP;
    return path;
  });
  const move = `translate(${round(x - (total * scale) / 2)} ${round(y - 3 * scale)}) scale(${round(scale)})`;
  const pen = `fill="none" stroke="${color}" stroke-width="1.1" stroke-linecap="round" stroke-linejoin="round"`;
  return `<g transform="${move}" ${pen}>${paths.join('')}</g>`;
}

function round(value) {
  return Number(value.toFixed(3));
}

const LETTER_GAP = 1.9;

/** Each glyph: its width, and its strokes in a box six units high. */
const ALPHABET = {
  A: [4, 'M0 6 2 0 4 6M.8 4H3.2'],
  B: [4, 'M0 0V6H2.4A1.5 1.5 0 0 0 2.4 3H0M0 0V3H2.2A1.5 1.5 0 0 0 2.2 0Z'],
  C: [4, 'M4 1.2A2 2 0 0 0 0 2V4A2 2 0 0 0 4 4.8'],
  D: [4, 'M0 0V6H1.6A2.4 2.4 0 0 0 4 3.6V2.4A2.4 2.4 0 0 0 1.6 0Z'],
  E: [3.4, 'M3.4 0H0V6H3.4M0 3H2.8'],
  F: [3.4, 'M3.4 0H0V6M0 3H2.8'],
  G: [4, 'M4 1.2A2 2 0 0 0 0 2V4A2 2 0 0 0 4 4V3.2H2.4'],
  H: [4, 'M0 0V6M4 0V6M0 3H4'],
  I: [0, 'M0 0V6'],
  J: [3, 'M3 0V4.5A1.5 1.5 0 0 1 0 4.5'],
  K: [4, 'M0 0V6M4 0 0 3.6M1.4 2.4 4 6'],
  L: [3.4, 'M0 0V6H3.4'],
  M: [4.8, 'M0 6V0L2.4 3.6 4.8 0V6'],
  N: [4, 'M0 6V0L4 6V0'],
  O: [4, 'M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4Z'],
  P: [4, 'M0 6V0H2.3A1.7 1.7 0 0 1 2.3 3.4H0'],
  Q: [4, 'M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4ZM2.4 4.2 4.2 6.2'],
  R: [4, 'M0 6V0H2.3A1.7 1.7 0 0 1 2.3 3.4H0M2 3.4 4 6'],
  S: [4, 'M3.8 1.1A1.9 1.6 0 0 0 2 0A1.8 1.5 0 0 0 2 3A1.8 1.5 0 0 1 2 6A1.9 1.6 0 0 1 .2 4.9'],
  T: [4, 'M0 0H4M2 0V6'],
  U: [4, 'M0 0V4A2 2 0 0 0 4 4V0'],
  V: [4, 'M0 0 2 6 4 0'],
  W: [5.6, 'M0 0 1.4 6 2.8 1.5 4.2 6 5.6 0'],
  X: [4, 'M0 0 4 6M4 0 0 6'],
  Y: [4, 'M0 0 2 3 4 0M2 3V6'],
  Z: [4, 'M0 0H4L0 6H4'],
  0: [4, 'M0 2A2 2 0 0 1 4 2V4A2 2 0 0 1 0 4Z'],
  1: [1.4, 'M0 1.2 1.4 0V6'],
  2: [4, 'M.2 1.6A1.9 1.7 0 0 1 4 1.8Q4 3 0 6H4'],
  3: [4, 'M0 0H4L1.8 2.4A1.8 1.8 0 1 1 .2 5'],
  4: [4, 'M3 6V0L0 4.2H4'],
  5: [4, 'M3.8 0H.4L.2 2.7A1.9 1.8 0 1 1 .2 5.2'],
  6: [4, 'M3.4 0Q0 2 0 4.2A2 1.8 0 1 0 .4 3.2'],
  7: [4, 'M0 0H4L1.4 6'],
  8: [4, 'M2 3A1.6 1.5 0 1 1 2.01 3A2 1.5 0 1 1 2 3'],
  9: [4, 'M.6 6Q4 4 4 1.8A2 1.8 0 1 0 3.6 2.8'],
};

function fiatIcon(code, { flags }, { flag }) {
  const name = named(flags, code, code.slice(0, 2).toLowerCase());
  if (!name) return letterDisc(code);
  const [, box, body] = flag(name)
    .trim()
    .match(/^<svg[^>]*viewBox="0 0 (\d+) \d+"[^>]*>(.*)<\/svg>$/s);
  return svg(48, 48, `<g transform="scale(${48 / Number(box)})">${scoped(body, `f-${name}`)}</g>`);
}

function paymentIcon({ brand, glyph, text, color, mark }, sources) {
  const inside = brand
    ? brandMark(sources.brand(brand))
    : glyph
      ? GLYPHS[glyph](color)
      : wordMark(text, color);
  return svg(48, 32, `${CARD}${inside}${mark ? MARKS[mark](color) : ''}`);
}

const CARD = '<rect x=".5" y=".5" width="47" height="31" rx="5.5" fill="#fff" stroke="#DEE2E6"/>';

/** simple-icons draws in a box of 24; wide marks (Apple Pay, Google Pay, SEPA) fill its width only. */
function brandMark(icon) {
  const wide = ['applepay', 'googlepay', 'sepa', 'visa'].includes(icon.slug);
  const scale = wide ? 1.5 : 0.92;
  const move = `translate(${24 - 12 * scale} ${16 - 12 * scale}) scale(${scale})`;
  return `<path transform="${move}" fill="#${icon.hex}" d="${icon.path}"/>`;
}

function wordMark(text, color) {
  return drawText(text, { x: 24, y: 16, width: 38, height: 12, color });
}

const GLYPHS = {
  card: color =>
    `<rect x="12" y="8" width="24" height="16" rx="2.5" fill="${color}"/><path fill="#fff" d="M12 12h24v3H12z"/>` +
    `<path stroke="#fff" stroke-width="1.6" d="M15 20h6"/>`,
  bank: color =>
    `<path fill="${color}" d="M24 6l11 5.5V13H13v-1.5zM15 14.5h3v7h-3zm7.5 0h3v7h-3zm7.5 0h3v7h-3zM13 23h22v2.5H13z"/>`,
  phone: color =>
    `<rect x="18" y="5" width="12" height="22" rx="2.5" fill="${color}"/><path fill="#fff" d="M20 8h8v13h-8z"/>` +
    `<circle cx="24" cy="14.5" r="3" fill="${color}"/><circle cx="24" cy="24" r="1.1" fill="#fff"/>`,
  wallet: color =>
    `<path fill="${color}" d="M14 9h17a2 2 0 0 1 2 2v1H15.5a.7.7 0 0 0 0 1.5H34a1.5 1.5 0 0 1 1.5 1.5v7a2 2 0 0 1-2 2H15a3 3 0 0 1-3-3V11a2 2 0 0 1 2-2z"/>` +
    `<circle cx="31.5" cy="18.5" r="1.7" fill="#fff"/>`,
};

const MARKS = {
  bolt: () => '<path fill="#F59F00" d="M43 3.5l-5 6.5h3l-1 4.5 5-6.5h-3z"/>',
  link: color =>
    `<path fill="none" stroke="${color}" stroke-width="1.4" stroke-linecap="round" d="M39 11l4-4M38.5 8.5l-1 1a2.1 2.1 0 0 0 3 3l1-1M41.5 6.5l1-1a2.1 2.1 0 0 1 3 3l-1 1" transform="translate(-1 0)"/>`,
};

function svg(width, height, body) {
  const link = body.includes('xlink:') ? ' xmlns:xlink="http://www.w3.org/1999/xlink"' : '';
  const box = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg"${link} ${box}>${body}</svg>`;
}

/** Self-contained and inert: no script, handler, style, embedded page or image, and references within the file only. */
function isSafe(text) {
  if (/<(script|style|foreignObject|image|iframe|a|animate|set)\b|\son\w+\s*=|<!|<\?/i.test(text))
    return false;
  const references = [...text.matchAll(/(?:href\s*=\s*"|url\(\s*['"]?)([^"')]*)/gi)].map(match => match[1]);
  return references.every(target => target.startsWith('#'));
}

// ---- checks of the written files, offline ----

function check() {
  const source = readJson('source.json');
  const networks = readJson('networks.json');
  const assets = readJson('assets.json');
  const fiats = readJson('fiats.json');
  const countries = readJson('countries.json');
  const methods = readJson('payment-methods.json');

  same('networks.json', networks, listNetworks(source));
  same('assets.json', assets, listAssets(source));
  same(
    'fiats.json',
    fiats.map(fiat => fiat.code),
    source.fiats,
  );
  same(
    'payment-methods.json',
    methods,
    source.paymentMethods.map(({ id, name, legacy }) => ({ id, name, legacy })),
  );
  checkLists({ networks, assets });
  checkMoney({ fiats, countries, methods });
  const { files, bytes } = checkIcons({ networks, assets, fiats, methods });
  if (problems.length > 0) return;
  console.log(
    `catalog: ${assets.length} assets (${new Set(assets.map(a => a.code)).size} codes) on ${networks.length} networks,`,
    `${fiats.length} fiats, ${countries.length} countries, ${methods.length} payment methods,`,
    `${files} icons of ${bytes} bytes`,
  );
}

function checkLists({ networks, assets }) {
  const ids = new Map(assets.map(asset => [asset.id, asset]));
  const known = new Set(networks.map(network => network.id));
  atLeast('networks', networks, 28);
  atLeast('assets', assets, 170);
  unique(
    'network id',
    networks.map(network => network.id),
  );
  unique('chain id', networks.map(network => network.chainId).filter(Boolean));
  unique(
    'asset id',
    assets.map(asset => asset.id),
  );
  unique(
    'token address',
    assets.filter(a => a.address !== ZERO).map(a => `${a.network} ${a.address.toLowerCase()}`),
  );
  unique(
    'main asset of',
    assets.filter(asset => asset.main).map(asset => asset.code),
  );
  if (new Set(assets.map(asset => asset.network)).size < 28) complain('assets cover fewer than 28 networks');

  for (const { id, native, family } of networks) {
    if (!/^[a-z0-9]+$/.test(id)) complain(`network ${id}: an id is lower-case letters and digits`);
    if (!FAMILIES.has(family)) complain(`network ${id}: unknown family ${family}`);
    if (ids.get(native)?.address !== ZERO)
      complain(`network ${id}: ${native} is not in the assets as a native coin`);
  }
  const names = new Map();
  for (const { id, code, name, network, decimals, address } of assets) {
    if (id !== `${code.toLowerCase()}_${network}`) complain(`${id}: its id is not <code>_<network>`);
    if (!/^[A-Z0-9]+$/.test(code)) complain(`${id}: a code is upper-case letters and digits`);
    if (!known.has(network)) complain(`${id}: unknown network ${network}`);
    if (!Number.isInteger(decimals) || decimals < 0 || decimals > 24) complain(`${id}: ${decimals} decimals`);
    if (typeof address !== 'string' || address === '') complain(`${id}: no address`);
    if (names.has(code) && names.get(code) !== name)
      complain(`${id}: ${code} is "${name}" and "${names.get(code)}"`);
    names.set(code, name);
  }
  for (const id of MUST_HAVE) if (!ids.has(id)) complain(`missing asset ${id}`);
  for (const id of MUST_BE_MAIN) if (!ids.get(id)?.main) complain(`${id} is not the main asset of its code`);
  for (const code of ['USDC', 'USDT'])
    if (assets.some(asset => asset.code === code && asset.main)) complain(`${code} has no main network`);
}

function checkMoney({ fiats, countries, methods }) {
  atLeast('fiats', fiats, 45);
  unique(
    'fiat id',
    fiats.map(fiat => fiat.id),
  );
  unique(
    'country',
    countries.map(country => country.code),
  );
  unique(
    'payment method',
    methods.map(method => method.id),
  );
  unique(
    'earlier word of a payment method',
    methods.map(method => method.legacy.toLowerCase()),
  );
  if (countries.length !== 250)
    complain(`${countries.length} countries, where ISO 3166-1 assigns 249 and Kosovo is one more`);
  for (const { id, code, name, symbol, decimals } of fiats)
    if (id !== code.toLowerCase() || !name || name === code || !symbol || !(decimals >= 0 && decimals <= 4))
      complain(`fiat ${code}: incomplete`);
  for (const { code, name, currency } of countries)
    if (
      !/^[A-Z]{2}$/.test(code) ||
      !name ||
      name === code ||
      !(currency === null || /^[A-Z]{3}$/.test(currency))
    )
      complain(`country ${code}: incomplete`);
  for (const { id, name } of methods)
    if (!/^[a-z]+$/.test(id) || !name) complain(`payment method ${id}: incomplete`);
}

function checkIcons({ networks, assets, fiats, methods }) {
  const wanted = {
    crypto: new Set(assets.map(asset => asset.code.toLowerCase())),
    fiat: new Set(fiats.map(fiat => fiat.id)),
    payment: new Set(methods.map(method => method.id)),
    network: new Set(networks.map(network => network.id)),
  };
  let files = 0;
  let bytes = 0;
  for (const [folder, names] of Object.entries(wanted)) {
    const path = join(ROOT, 'icons', folder);
    const present = existsSync(path) ? readdirSync(path).map(file => file.replace(/\.svg$/, '')) : [];
    for (const name of names) if (!present.includes(name)) complain(`missing icon ${folder}/${name}.svg`);
    for (const name of present) {
      if (!names.has(name)) complain(`icon ${folder}/${name}.svg belongs to nothing`);
      const text = readFileSync(join(path, `${name}.svg`), 'utf8');
      files++;
      bytes += Buffer.byteLength(text);
      checkIcon(`${folder}/${name}.svg`, text);
    }
  }
  if (bytes > MAX_TOTAL_BYTES) complain(`icons take ${bytes} bytes, at most ${MAX_TOTAL_BYTES}`);
  return { files, bytes };
}

function checkIcon(file, text) {
  if (Buffer.byteLength(text) > MAX_ICON_BYTES) complain(`icon ${file}: ${Buffer.byteLength(text)} bytes`);
  if (!/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]*>.*<\/svg>\n$/s.test(text))
    complain(`icon ${file}: not an SVG`);
  if (!isSafe(text)) complain(`icon ${file}: script, handler or outside reference`);
}

// ---- small parts ----

function atLeast(what, list, least) {
  if (list.length < least) complain(`${list.length} ${what}, at least ${least} wanted`);
}

function unique(what, values) {
  const seen = new Set();
  for (const value of values) {
    if (seen.has(value)) complain(`${what} ${value} occurs twice`);
    seen.add(value);
  }
}

function same(file, written, derived) {
  if (JSON.stringify(written) !== JSON.stringify(derived))
    complain(`${file} is not what source.json gives: generate it again`);
}

function readJson(file) {
  return JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
}

/** One entry a line, so that a change reads well in a diff. */
function writeList(file, list) {
  writeFileSync(join(ROOT, file), `[\n${list.map(entry => `  ${JSON.stringify(entry)}`).join(',\n')}\n]\n`);
}

function finish() {
  for (const problem of problems) console.error(`catalog: ${problem}`);
  if (problems.length > 0) process.exit(1);
}

if (process.argv.includes('--check')) check();
else await generate();
finish();
