/** Notices: a provider's words about an order, put into ours. */
import { isSameAddress } from '../domain/address-spelling.ts';
import type { BankTransfer } from '../domain/step.ts';
import type { Said } from '../domain/transaction.ts';
import { member } from '../domain/words.ts';
import type { Manifest, Notice } from '../providers/contract.ts';
import { isSameWord } from '../providers/exchange.ts';
import type { Order } from '../store/transactions.ts';

export interface SaidOptions {
  /** When we heard of it, for notices that do not say when it was so. */
  heardAt: number;
  order: Traded;
}

/** What of an order a notice must agree with. */
type Traded = Pick<Order, 'side' | 'walletAddress' | 'native'>;

/** What a notice comes to; undefined for a status word that is not known, which moves nothing. */
export function saidOf(
  manifest: Manifest,
  notice: Notice,
  { heardAt, order }: SaidOptions,
): Said | undefined {
  const status = member(manifest.statuses, notice.word);
  if (!status) return undefined;
  const { at, reason, theirs, hash, sent, bank, returns } = notice;
  return {
    // Coins of a sell go back to the wallet, if there is one.
    status: status === 'failed' && returns && order.walletAddress !== '' ? 'refunded' : status,
    at: at ?? heardAt,
    // What went wrong on the way no longer matters in the end.
    reason: reason === undefined || status === 'completed' ? undefined : plain(reason),
    theirs: theirs === undefined ? undefined : plain(theirs),
    hash: hash === undefined ? undefined : plain(hash),
    ...sumsOf(notice, order),
    deposit: depositOf(notice, order),
    sent: sent || undefined,
    bank: bank && plainBank(bank),
  };
}

/** A person may have chosen another fiat there: then its sum is in a currency that nobody here expects. */
function sumsOf({ paid, received, fiat }: Notice, { side, native }: Traded): Pick<Said, 'paid' | 'received'> {
  if (fiat === undefined || isSameWord(fiat, native.fiat)) return { paid, received };
  return side === 'buy' ? { paid: undefined, received } : { paid, received: undefined };
}

function depositOf({ deposit }: Notice, { native }: Traded): Said['deposit'] {
  if (!deposit || (deposit.asset !== undefined && !isSameWord(deposit.asset, native.asset))) return undefined;
  const { address, memo, amount, until } = deposit;
  return { address: plain(address), memo: memo === undefined ? undefined : plain(memo), amount, until };
}

/** Whether a notice can be about the order, as far as it tells: the same coin, and on a buy the same wallet. */
export function concerns({ wallet, asset }: Notice, order: Traded): boolean {
  if (asset !== undefined && !isSameWord(asset, order.native.asset)) return false;
  if (wallet === undefined || order.side === 'sell' || order.walletAddress === '') return true;
  return isSameAddress(wallet, order.walletAddress);
}

/** A bank transfer, fit to be kept. */
export function plainBank({ account, reference, hint }: BankTransfer): BankTransfer {
  const { iban, bic, bankName, bankAddress, accountName, accountAddress } = account;
  return {
    account: {
      iban: plain(iban),
      bic: plain(bic),
      bankName: plain(bankName),
      bankAddress: plain(bankAddress),
      accountName: plain(accountName),
      accountAddress: plain(accountAddress),
    },
    reference: plain(reference),
    hint: plain(hint, LONGEST_HINT),
  };
}

const LONGEST_TEXT = 256;
/** What a person is to know of their transfer is told to its end. */
const LONGEST_HINT = 1_000;

/** Text from outside, fit to be kept: of one line, of bounded length, and nothing a database cannot hold. */
export function plain(text: string, longest = LONGEST_TEXT): string {
  const line = text.slice(0, longest).replace(/\p{Cc}/gu, ' ');
  // Through UTF-8 and back: half of a character becomes a whole one.
  return Buffer.from(line).toString('utf8');
}
