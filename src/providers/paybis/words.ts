/** Paybis' words: for methods, networks, tokens and statuses, and how it says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import { type MethodId, member, type NetworkId } from '../../domain/words.ts';

/** How the id of a method ends, whoever the partner is, and ours. */
export const METHODS = {
  'credit-card': ['creditcard', 'debitcard'],
  'apple-pay-credit-card': ['applepay'],
  'google-pay-credit-card': ['googlepay'],
  'manual-bank-transfer': ['sepabanktransfer'],
  'swift-bank-transfer': ['wire', 'banktransfer'],
  trustly: ['ach', 'banktransfer'],
  revolutpay: ['revolutpay'],
  pix: ['pix'],
  spei: ['spei'],
  pse: ['pse'],
  skrill: ['skrill'],
  neteller: ['neteller'],
  astropay: ['astropay'],
  // M-Pesa.
  flutterwave_kenya: ['mobilemoney'],
  gcash: ['gcash'],
  maya: ['paymaya'],
  grabpay: ['grabpay'],
  boost: ['boost'],
  shopee: ['shopeepay'],
  touch_and_go: ['touchngo'],
  qrph: ['qrph'],
  giropay: ['giropay'],
  fpx: ['fpx'],
  'credit-card-out': ['creditcard', 'debitcard'],
  'mass-pay-out': ['creditcard', 'debitcard'],
  colombia_payout: ['banktransfer'],
  mexico_payout: ['spei', 'banktransfer'],
  pix_payout: ['pix'],
} as Record<string, string[]> as Record<string, MethodId[]>;

/** Methods that are for some countries only: this one pays out to cards of the United States. */
export const ONLY_IN: Readonly<Record<string, readonly string[]>> = { 'mass-pay-out': ['US'] };

/** What people read, for ids that are opaque. */
const TITLES: Readonly<Record<string, string>> = {
  'credit/debit card': 'credit-card',
  'apple pay': 'apple-pay-credit-card',
  'google pay': 'google-pay-credit-card',
  'sepa bank transfer': 'manual-bank-transfer',
  'swift bank transfer': 'swift-bank-transfer',
  'online banking': 'trustly',
  'revolut pay': 'revolutpay',
  'm-pesa': 'flutterwave_kenya',
  shopeepay: 'shopee',
  'touch n go': 'touch_and_go',
  'qr ph': 'qrph',
};

const LONGEST_FIRST = Object.keys(METHODS).sort((a, b) => b.length - a.length);

/** The word in `METHODS` for a method: by the end of its id, then by what it is called. */
export function kindOf(id: string, title = ''): string | undefined {
  const said = title.trim().toLowerCase();
  if (/[-_]qrph/.test(id)) return 'qrph';
  return (
    LONGEST_FIRST.find(word => id.endsWith(`-${word}`) || id.endsWith(`_${word}`)) ??
    member(TITLES, said) ??
    (Object.hasOwn(METHODS, said) ? said : undefined)
  );
}

/** `blockchainName`, and ours: eight were seen, the others are written in the same way. */
export const NETWORKS = {
  bitcoin: 'bitcoin',
  ethereum: 'ethereum',
  'bitcoin-cash': 'bitcoincash',
  arbitrum: 'arbitrum',
  'avalanche-c-chain': 'avaxc',
  cardano: 'cardano',
  solana: 'solana',
  'binance-smart-chain': 'bsc',
  tron: 'tron',
  polygon: 'polygon',
  base: 'base',
  optimism: 'optimism',
  stellar: 'stellar',
  ripple: 'ripple',
  litecoin: 'litecoin',
  dogecoin: 'dogecoin',
  polkadot: 'polkadot',
  cosmos: 'cosmos',
  algorand: 'algorand',
  tezos: 'tezos',
  near: 'near',
  ton: 'ton',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** The network that the code of an asset names, where their word for it is not known. */
const BY_CODE: readonly [RegExp, string][] = [
  [/^BNBSC$/, 'binance-smart-chain'],
  [/^AVAXC$/, 'avalanche-c-chain'],
  [/-TRC20$/, 'tron'],
  [/-BASE$/, 'base'],
  [/-POLYGON$/, 'polygon'],
  [/-SOL$/, 'solana'],
  [/-STELLAR$/, 'stellar'],
];

export function networkOf(code: string, blockchain: string): string {
  if (Object.hasOwn(NETWORKS, blockchain)) return blockchain;
  return BY_CODE.find(([pattern]) => pattern.test(code))?.[1] ?? blockchain;
}

const SYMBOLS: Readonly<Record<string, string>> = { BNBSC: 'BNB', AVAXC: 'AVAX', ONEINCH: '1INCH' };

/** The ticker in a code: `USDT` of `USDT-TRC20`. */
export function tickerOf(code: string): string {
  return member(SYMBOLS, code) ?? code.replace(/-.*$/, '');
}

/** What a coin is recognised by: its ticker. Coins of test networks keep their whole code, and are nobody's. */
export function symbolOf(code: string): string {
  return /TESTNET/i.test(code) ? code : tickerOf(code);
}

/** No list of theirs has contracts: these are what the tickers mean on each network. Others are not listed by us. */
export const CONTRACTS: Readonly<Record<string, string>> = {
  'ethereum USDC': '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
  'ethereum USDT': '0xdAC17F958D2ee523a2206206994597C13D831ec7',
  'ethereum DAI': '0x6B175474E89094C44Da98b954EedeAC495271d0F',
  'ethereum LINK': '0x514910771AF9Ca656af840dff83E8264EcF986CA',
  'ethereum UNI': '0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984',
  'ethereum AAVE': '0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9',
  'ethereum SHIB': '0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE',
  'ethereum PEPE': '0x6982508145454Ce325dDbE47a25d4ec3d2311933',
  'ethereum WBTC': '0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599',
  'ethereum MKR': '0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2',
  'ethereum LDO': '0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32',
  'ethereum CRV': '0xD533a949740bb3306d119CC777fa900bA034cd52',
  'ethereum GRT': '0xc944E90C64B2c07662A292be6244BDf05Cda44a7',
  'ethereum APE': '0x4d224452801ACEd8B2F0aebE155379bb5D594381',
  'ethereum SAND': '0x3845badAde8e6dFF049820680d1F14bD3903a5d0',
  'ethereum MANA': '0x0F5D2fB29fb7d3CFeE444a200298f468908cC942',
  'ethereum AXS': '0xBB0E17EF65F82Ab018d8EDd776e8DD940327B28b',
  'ethereum CHZ': '0x3506424F91fD33084466F402d5D97f05F8e3b4AF',
  'ethereum BAT': '0x0D8775F648430679A709E98d2b0Cb6250d2887EF',
  'ethereum COMP': '0xc00e94Cb662C3520282E6f5717214004A7f26888',
  'ethereum SNX': '0xC011a73ee8576Fb46F5E1c5751cA3B9Fe0af2a6F',
  'ethereum YFI': '0x0bc529c00C6401aEF6D220BE8C6Ea1667F6Ad93e',
  'ethereum SUSHI': '0x6B3595068778DD592e39A122f4f5a5cF09C90fE2',
  'ethereum 1INCH': '0x111111111117dC0aa78b770fA6A738034120C302',
  'ethereum ENS': '0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72',
  'arbitrum ARB': '0x912CE59144191C1204E64559FE8253a0e49E6548',
  'optimism OP': '0x4200000000000000000000000000000000000042',
  'base USDC': '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  'polygon USDC': '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359',
  'polygon USDT': '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
  'solana USDC': 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'solana USDT': 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
  'solana BONK': 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263',
  'stellar USDC': 'GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN',
  'tron USDT': 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
};

/** Where integrators found it closed (April 2026); no list of countries can be asked for. */
export const CLOSED_IN =
  'AF BY CD CF CU EH ET IQ IR KP LB LY ML MM NI PS RU SD SO SS SY YE US-HI US-NY'.split(' ');

/** The words of webhooks and of the list of transactions. */
export const STATUSES: Readonly<Record<string, Status>> = {
  created: 'new',
  started: 'new',
  pending: 'pending',
  confirming: 'pending',
  'payment-authorized': 'pending',
  paid: 'paid',
  completed: 'completed',
  success: 'completed',
  cancelled: 'canceled',
  canceled: 'canceled',
  rejected: 'failed',
  failed: 'failed',
  'payment-error': 'failed',
  payment_error: 'failed',
  // Ours, for a request that no transaction of theirs is of: nothing was paid yet.
  unseen: 'new',
};

/** The reason a text of theirs gives, first match first. */
export const REASONS: readonly [RegExp, DeclineReason][] = [
  [/\b(at least|up to|less than|minimum|maximum|limits?)\b/i, 'limit'],
  [/\b(country|countries|region|state|jurisdiction)\b/i, 'country'],
  [/\b(payment|payout) ?method/i, 'method'],
  [/\b(currency|currencies|pair|asset|network)\b/i, 'pair'],
];

/** Refusals that are about our keys, our signature or our pace, not about the ask. */
export const ABOUT_US =
  /\bapi ?key\b|signature|unauthori[sz]ed|forbidden|access denied|white-?list|rate limit|too many/i;
