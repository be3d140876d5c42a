/** Notices: a provider's words about an order, put into ours. */
import type { BankTransfer } from '../domain/step.ts';
import type { Said } from '../domain/transaction.ts';
import { member } from '../domain/words.ts';
import type { Manifest, Notice } from '../providers/contract.ts';
import type { Order } from '../store/transactions.ts';

export interface SaidOptions {
  /** When we heard of it, for notices that do not say when it was so. */
  heardAt: number;
  /** Whether there is a wallet that a failed sell's coins go back to. */
  hasWallet: boolean;
}

/** What a notice comes to; undefined for a status word that is not known, which moves nothing. */
export function saidOf(
  manifest: Manifest,
  notice: Notice,
  { heardAt, hasWallet }: SaidOptions,
): Said | undefined {
  const status = member(manifest.statuses, notice.word);
  if (!status) return undefined;
  const { at, reason, theirs, hash, paid, received, deposit, bank, returns } = notice;
  return {
    status: status === 'failed' && returns && hasWallet ? 'refunded' : status,
    at: at ?? heardAt,
    // What went wrong on the way no longer matters in the end.
    reason: reason === undefined || status === 'completed' ? undefined : plain(reason),
    theirs: theirs === undefined ? undefined : plain(theirs),
    hash: hash === undefined ? undefined : plain(hash),
    paid,
    received,
    deposit: deposit && {
      address: plain(deposit.address),
      memo: deposit.memo === undefined ? undefined : plain(deposit.memo),
      amount: deposit.amount,
    },
    bank: bank && plainBank(bank),
  };
}

/** Whether coins go where the order says, as far as the notice tells; capitals mean nothing in hexadecimal addresses. */
export function goesThere({ wallet }: Notice, order: Pick<Order, 'side' | 'walletAddress'>): boolean {
  if (wallet === undefined || order.side === 'sell' || order.walletAddress === '') return true;
  const same = (address: string) => (/^0x[0-9a-fA-F]+$/.test(address) ? address.toLowerCase() : address);
  return same(wallet) === same(order.walletAddress);
}

function plainBank({ account, reference, hint }: BankTransfer): BankTransfer {
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
    hint: plain(hint),
  };
}

const LONGEST_TEXT = 256;

/** Text from outside, fit to be kept: of one line, of bounded length, and nothing a database cannot hold. */
function plain(text: string): string {
  const line = text.slice(0, LONGEST_TEXT).replace(/\p{Cc}/gu, ' ');
  // Through UTF-8 and back: half of a character becomes a whole one.
  return Buffer.from(line).toString('utf8');
}
