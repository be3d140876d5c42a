/** Openramp's words, which are ours: every network, payment method and status by its own name, and how a ramp says no. */
import type { DeclineReason } from '../../domain/offer.ts';
import type { Status } from '../../domain/transaction.ts';
import type { MethodId, NetworkId } from '../../domain/words.ts';
import { type Code, STATUSES as STATUS_WORDS } from './schema.ts';

export const NETWORKS = Object.fromEntries(
  `bitcoin ethereum solana bsc polygon base arbitrum optimism avaxc tron litecoin dogecoin bitcoincash ripple stellar
  cardano cosmos ton polkadot near algorand tezos aptos sui gnosis zksync celo linea arweave stacks starknet fantom sonic
  mantle opbnb scroll unichain worldchain ink blast abstract berachain monad sei injective osmosis celestia noble hedera
  kaspa kusama hyperevm plasma wemix cronos ronin moonbeam etherclassic dash zcash filecoin vechain eos multiversx
  internetcomputer flow`
    .split(/\s+/)
    .map(word => [word, word as NetworkId]),
);

export const METHODS = Object.fromEntries(
  `creditcard debitcard applepay googlepay banktransfer sepabanktransfer sepainstant ach wire pix upi imps paypal venmo
  revolutpay cashapp interacetransfer fasterpaybank fasterpayopen openbanking ideal bancontact sofort giropay blik spei
  payid paynow fps promptpay instapay gcash paymaya grabpay shopeepay qris dana ovo mobilemoney neteller skrill astropay
  mobikwik pse fpx boost touchngo qrph vietqr momo zalopay gopay eps`
    .split(/\s+/)
    .map(word => [word, [word as MethodId]]),
);

export const STATUSES: Readonly<Record<string, Status>> = Object.fromEntries(
  STATUS_WORDS.map(word => [word, word]),
);

/** The refusals that are about what was asked; all others are about us, or about a mistake. */
export const REASONS: Partial<Record<Code, DeclineReason>> = {
  limit: 'limit',
  pair: 'pair',
  method: 'method',
  country: 'country',
  wallet: 'refused',
  refused: 'refused',
};
