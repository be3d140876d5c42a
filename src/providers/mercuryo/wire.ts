/** Mercuryo's API in its own words: its JSON as far as we rely on it, and its names for networks and methods. */
import { Type } from 'typebox';
import type { MethodId, NetworkId } from '../../domain/words.ts';
import { Numeric, wire } from '../contract.ts';

const Text = Type.String({ maxLength: 200 });
const TextIfAny = Type.Optional(Type.Union([Text, Type.Null()]));
const NumericIfAny = Type.Optional(Type.Union([Numeric, Type.Null()]));

/** `GET /lib/currencies`. Parts that an entry may lack are optional, so that one odd entry costs only itself. */
export const readCurrencies = wire(
  Type.Object({
    data: Type.Object({
      fiat: Type.Array(Text),
      crypto: Type.Array(Text),
      config: Type.Object({
        crypto_currencies: Type.Array(
          Type.Object({ currency: TextIfAny, network: TextIfAny, contract: TextIfAny }),
        ),
      }),
      fiat_payment_methods: Type.Record(
        Type.String(),
        Type.Object({
          payment_methods: Type.Optional(Type.Array(Type.Object({ code: TextIfAny }))),
          limits: Type.Optional(
            Type.Union([Type.Object({ min: NumericIfAny, max: NumericIfAny }), Type.Null()]),
          ),
        }),
      ),
    }),
  }),
);

/** `GET /public/currencies-buy`, `/public/currencies-sell` and `/public/card-countries`: a flat list of words. */
export const readWords = wire(Type.Object({ data: Type.Array(Text) }));

const ByCurrency = Type.Record(Type.String(), Numeric);

/** `GET /widget/buy/rate` and `/widget/sell/rate`; every figure is a string, the last three by currency. */
export const readRate = wire(
  Type.Object({
    data: Type.Object({
      currency: Text,
      amount: Numeric,
      fiat_currency: Text,
      rate: Numeric,
      fee: ByCurrency,
      subtotal: ByCurrency,
      total: ByCurrency,
    }),
  }),
);

export interface Failure {
  message: string;
  /** The HTTP status once more, and a number of six digits that opens with it; both as text. */
  status: string | undefined;
  code: string | undefined;
}

/** A failure carries `message` in place of `data`, whatever its HTTP status; a success may carry an empty one. */
export function readFailure(body: unknown): Failure | undefined {
  if (typeof body !== 'object' || body === null) return undefined;
  const { data, message, status, code } = body as Record<string, unknown>;
  const succeeded = data && (status ?? '200') === '200';
  if (succeeded || typeof message !== 'string' || !message.trim()) return undefined;
  return { message: message.slice(0, 500), status: textIfAny(status), code: textIfAny(code) };
}

function textIfAny(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** `config.networks`; NEWTON is their word for TON. */
export const networks = {
  ALGORAND: 'algorand',
  ARBITRUM: 'arbitrum',
  AVALANCHE: 'avaxc',
  BASE: 'base',
  BINANCESMARTCHAIN: 'bsc',
  BITCOIN: 'bitcoin',
  BITCOINCASH: 'bitcoincash',
  CARDANO: 'cardano',
  CELESTIA: 'celestia',
  COSMOS: 'cosmos',
  DOGECOIN: 'dogecoin',
  ETHEREUM: 'ethereum',
  FANTOM: 'fantom',
  INJECTIVE: 'injective',
  KASPA: 'kaspa',
  KUSAMA: 'kusama',
  LINEA: 'linea',
  LITECOIN: 'litecoin',
  MONAD: 'monad',
  NEAR_PROTOCOL: 'near',
  NEWTON: 'ton',
  OPTIMISM: 'optimism',
  POLKADOT: 'polkadot',
  POLYGON: 'polygon',
  RIPPLE: 'ripple',
  SOLANA: 'solana',
  SONIC: 'sonic',
  STELLAR: 'stellar',
  SUI: 'sui',
  TEZOS: 'tezos',
  TRON: 'tron',
  WEMIX: 'wemix',
  ZKSYNC: 'zksync',
} as Record<string, string> as Readonly<Record<string, NetworkId>>;

/** `fiat_payment_methods`; the four Indonesian banks are virtual accounts, Volt is open banking over SEPA. */
export const methods = {
  card: ['creditcard', 'debitcard'],
  apple: ['applepay'],
  google: ['googlepay'],
  revolut_pay: ['revolutpay'],
  volt_banktransfer_eur: ['sepabanktransfer'],
  unlimint_pix_brl: ['pix'],
  interac_gk: ['interacetransfer'],
  blik_direct: ['blik'],
  EightBWorld_mandiri: ['banktransfer'],
  EightBWorld_bni: ['banktransfer'],
  EightBWorld_bri: ['banktransfer'],
  EightBWorld_permata: ['banktransfer'],
  EightBWorld_qris: ['qris'],
  EightBWorld_dana: ['dana'],
  EightBWorld_ovo: ['ovo'],
  EightBWorld_instapay: ['instapay'],
} as Record<string, readonly string[]> as Readonly<Record<string, readonly MethodId[]>>;
