/** Flow offers: the terms a flow begins with, sealed into a link, and what the person is asked before it does. */
import { checkAddress, checkMemo } from '../domain/address.ts';
import { membersOf, readAnswers } from '../domain/answers.ts';
import type { Asset, Currencies, Network } from '../domain/currency.ts';
import { badInput } from '../domain/fault.ts';
import { canonicalJson, JsonNumber } from '../domain/json-strict.ts';
import { decimal } from '../domain/money.ts';
import type { Answers, FormStep, TextField } from '../domain/step.ts';
import {
  type AccountId,
  type AssetId,
  type CountryCode,
  type FiatId,
  type Instant,
  isContext,
  LONGEST_CONTEXT,
  type MethodId,
  type ProviderId,
  type Side,
  type StateCode,
} from '../domain/words.ts';
import { newId } from '../engine/ids.ts';
import type { FlowTerms } from './flows.ts';
import type { Seal } from './seal.ts';

/** Terms as they were offered. */
export interface FlowOffer extends Omit<FlowTerms, 'account'> {
  accountId: AccountId;
  /** The id that its transaction will have: nobody can begin twice with one offer. */
  id: string;
  until: Instant;
}

export interface FlowOffers {
  /** A token that carries the terms; nothing in it can be read. */
  issue(terms: FlowTerms): string;
  /** Undefined for a token that is not ours, or names what is no longer known. */
  read(token: string): FlowOffer | undefined;
  /** What the person is asked first. */
  firstStep(terms: Pick<FlowTerms, 'side' | 'asset' | 'wallet'>): FormStep;
  /** Reads what they answer; faults name the field. */
  readFirst(terms: Pick<FlowTerms, 'side' | 'asset' | 'wallet'>, body: unknown): FirstAnswers;
}

export interface FirstAnswers {
  email: string;
  wallet: FlowTerms['wallet'];
  partnerContext: string;
  contextIsObject: boolean;
}

export interface FlowOffersOptions {
  /** For `flow-offers`. */
  seal: Seal;
  currencies: Currencies;
  now(): Instant;
}

const OFFER_MS = 600_000;

type Asked = Pick<FlowTerms, 'side' | 'asset' | 'wallet'>;

export function createFlowOffers({ seal, currencies, now }: FlowOffersOptions): FlowOffers {
  function networkOf({ id, network }: Asset): Network {
    const found = currencies.networks.get(network);
    if (!found) throw new Error(`${id} is on no network of the catalog`);
    return found;
  }

  function fieldsOf({ side, asset, wallet }: Asked): TextField[] {
    if (side === 'sell') return [EMAIL];
    const network = networkOf(asset);
    const address: TextField = {
      type: 'string',
      name: 'cryptocurrencyAddress',
      humanName: `${asset.name} wallet address`,
      hint: `An address on ${network.name}, where your ${asset.code} will go.`,
    };
    const isTagOpen = network.tag && wallet?.memo === undefined;
    return [...(wallet ? [] : [address]), ...(isTagOpen ? [TAG] : []), EMAIL];
  }

  /** Where coins go: what came with the ask, or what the person says; checked by the chain's own rules, never altered. */
  function readWallet({ side, asset, wallet }: Asked, answers: Answers): FlowTerms['wallet'] {
    if (side === 'sell') return undefined;
    const network = networkOf(asset);
    const address = wallet?.address ?? String(answers.cryptocurrencyAddress);
    const answered = answers.cryptocurrencyAddressTag;
    const memo = answered === undefined ? wallet?.memo : String(answered);
    const wrongAddress = checkAddress(network, address, currencies.networks.values());
    if (wrongAddress) throw badInput('cryptocurrencyAddress', wrongAddress.message);
    const wrongMemo = checkMemo(network, memo, address);
    if (wrongMemo) throw badInput('cryptocurrencyAddressTag', wrongMemo.message);
    return { address, memo };
  }

  /** A wallet that is not right, whoever named it, is asked for again. */
  function soundWallet({ asset, wallet }: Asked): FlowTerms['wallet'] {
    if (!wallet) return undefined;
    const network = networkOf(asset);
    const flaw =
      checkAddress(network, wallet.address, currencies.networks.values()) ??
      checkMemo(network, wallet.memo, wallet.address);
    return flaw ? undefined : wallet;
  }

  return {
    issue: terms => seal.close(writeOffer({ ...terms, wallet: soundWallet(terms) }, now())),
    read(token) {
      const text = seal.open(token);
      if (text === undefined) return undefined;
      const stored = JSON.parse(text) as StoredOffer;
      const fiat = currencies.fiats.get(stored.fiat);
      const asset = currencies.assets.get(stored.asset);
      if (!fiat || !asset) return undefined;
      const { amount, gets, networkFee, providerFee, address, memo, ...rest } = stored;
      return {
        ...rest,
        fiat,
        asset,
        amount: decimal(amount),
        price: { gets: decimal(gets), networkFee: decimal(networkFee), providerFee: decimal(providerFee) },
        wallet: address === undefined ? undefined : { address, memo },
      };
    },
    firstStep: terms => ({
      type: 'form',
      key: 'first',
      fields: fieldsOf({ ...terms, wallet: soundWallet(terms) }),
    }),
    readFirst(terms, body) {
      const answers = readAnswers(fieldsOf(terms), body);
      return {
        email: String(answers.email),
        wallet: readWallet(terms, answers),
        ...readContext(membersOf(body).get('partnerContext')),
      };
    },
  };
}

const EMAIL: TextField = { type: 'string', name: 'email', humanName: 'E-mail address' };
/** Nobody can tell from an address whether it needs one, so that it may be left out. */
const TAG: TextField = {
  type: 'string',
  name: 'cryptocurrencyAddressTag',
  humanName: 'Address tag or memo',
  hint: 'Leave it out unless your wallet gives you one.',
  required: false,
};

/** An offer as it is written: short, for it travels in an address. */
interface StoredOffer {
  accountId: AccountId;
  provider: ProviderId;
  side: Side;
  fiat: FiatId;
  asset: AssetId;
  method: MethodId;
  country: CountryCode;
  state?: StateCode | undefined;
  amount: string;
  gets: string;
  networkFee: string;
  providerFee: string;
  until: Instant;
  id: string;
  address?: string | undefined;
  memo?: string | undefined;
}

function writeOffer(terms: FlowTerms, now: Instant): string {
  const { account, provider, side, fiat, asset, method, country, state, amount, price, wallet } = terms;
  const stored: StoredOffer = {
    accountId: account.id,
    provider,
    side,
    fiat: fiat.id,
    asset: asset.id,
    method,
    country,
    state,
    amount: amount.toString(),
    gets: price.gets.toString(),
    networkFee: price.networkFee.toString(),
    providerFee: price.providerFee.toString(),
    until: now + OFFER_MS,
    id: newId(now),
    address: wallet?.address,
    memo: wallet?.memo,
  };
  return JSON.stringify(stored);
}

/** The client's own reference: a text as it is, an object as the text that means it. */
function readContext(sent: unknown): Pick<FirstAnswers, 'partnerContext' | 'contextIsObject'> {
  if (sent !== undefined && typeof sent !== 'string' && !isObject(sent))
    throw badInput('partnerContext', 'partnerContext must be an object or a string');
  const partnerContext = typeof sent === 'string' ? sent : sent === undefined ? '' : canonicalJson(sent);
  if (!isContext(partnerContext))
    throw badInput(
      'partnerContext',
      `partnerContext must be at most ${LONGEST_CONTEXT} characters as JSON, none of them a control character`,
    );
  return { partnerContext, contextIsObject: isObject(sent) };
}

function isObject(sent: unknown): sent is object {
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent) && !(sent instanceof JsonNumber);
}
