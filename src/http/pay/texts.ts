/** The words of the pay page that the server writes: one table, in plain English. */
import type { Status } from '../../domain/transaction.ts';
import type { Side } from '../../domain/words.ts';
import type { BankPart } from './shape.ts';

/** What the words are about. */
export interface Topic {
  provider: string;
  /** What is handed over and what is received, with their currencies. */
  pays: string;
  gets: string;
  /** The asset's code, `BTC`. */
  asset: string;
  network: string;
}

export interface Saying {
  title: string;
  lead: string;
}

/** Where the person stands: a status, or one of the moments within it that look different to them. */
export type Moment = Status | 'ready' | 'sendCoins' | 'sendMoney' | 'lapsed';

type Sayings = Readonly<Record<Moment, (topic: Topic) => Saying>>;

/** How the figures are spoken of: as due, with our part paid, as exchanged, as never exchanged, or as given back. */
export type Tense = 'due' | 'paid' | 'done' | 'undone' | 'returned';

type Labels = Readonly<Record<Tense, string>>;

const BUY: Sayings = {
  ready: ({ provider }) => ({
    title: 'Check the details',
    lead: `You pay on ${provider}’s own page, which opens next.`,
  }),
  new: ({ provider }) => ({
    title: 'Waiting for payment',
    lead: `Finish the payment on ${provider}’s page. This page follows along by itself.`,
  }),
  sendCoins: topic => BUY.new(topic),
  sendMoney: ({ provider, pays }) => ({
    title: 'Make the bank transfer',
    lead: `Transfer exactly ${pays} to the account below. Made already? This page shows when ${provider} has it.`,
  }),
  pending: ({ provider }) => ({
    title: 'Payment under way',
    lead: `If ${provider}’s page asks for something, finish it there. This can take a few minutes, and this page follows along by itself.`,
  }),
  paid: ({ provider, asset }) => ({
    title: 'Paid, coins on the way',
    lead: `${provider} has your payment and is sending the ${asset} to your wallet.`,
  }),
  completed: ({ gets }) => ({ title: 'Completed', lead: `${begun(gets)} went to your wallet.` }),
  failed: ({ provider, asset }) => ({
    title: 'The purchase did not go through',
    lead: `No ${asset} was sent. If you were charged, ask ${provider} and name the reference below.`,
  }),
  canceled: ({ provider }) => ({
    title: 'The purchase was canceled',
    lead: `Nothing was bought. If you were charged, ask ${provider} and name the reference below.`,
  }),
  expired: () => ({
    title: 'The purchase has expired',
    lead: 'No payment came in time. If you did pay, stay here or come back to this link: a late payment still counts, and shows by itself.',
  }),
  refunded: ({ provider, asset }) => ({
    title: 'Refunded',
    lead: `${provider} has returned your payment; no ${asset} was bought. Banks can take some days to show it.`,
  }),
  lapsed: () => ({
    title: 'The session has expired',
    lead: 'Prices move, so the page is good for a short while only. Nothing was paid.',
  }),
};

const SELL: Sayings = {
  ready: ({ provider }) => ({
    title: 'Check the details',
    lead: `You say where the money goes on ${provider}’s own page, which opens next.`,
  }),
  new: ({ provider }) => ({
    title: 'Waiting for your coins',
    lead: `Go on with the steps on ${provider}’s page. This page follows along by itself.`,
  }),
  sendCoins: ({ provider, pays }) => ({
    title: 'Send your coins',
    lead: `Send exactly ${pays} to the address below. Sent already? This page shows when ${provider} sees them.`,
  }),
  sendMoney: topic => SELL.new(topic),
  pending: ({ provider, asset }) => ({
    title: 'Coins on the way',
    lead: `${provider} waits for the network to confirm your ${asset}. If its page asks for something, finish it there. This page follows along by itself.`,
  }),
  paid: ({ provider, asset, gets }) => ({
    title: 'Coins received, payout on the way',
    lead: `${provider} has your ${asset} and is paying out ${gets}.`,
  }),
  completed: ({ gets }) => ({ title: 'Completed', lead: `${begun(gets)} was paid out to you.` }),
  failed: ({ provider, asset }) => ({
    title: 'The sale did not go through',
    lead: `Nothing was paid out. If you have sent ${asset}, ask ${provider} and name the reference below.`,
  }),
  canceled: ({ provider, asset }) => ({
    title: 'The sale was canceled',
    lead: `Nothing was sold: send no ${asset} now. If you have sent some, ask ${provider} and name the reference below.`,
  }),
  expired: ({ asset }) => ({
    title: 'The sale has expired',
    lead: `No ${asset} came in time: send none now. If you did send some, stay here or come back to this link: coins that arrive late still count, and show by themselves.`,
  }),
  refunded: ({ provider, asset }) => ({
    title: 'Returned',
    lead: `${provider} has sent your ${asset} back; nothing was sold.`,
  }),
  lapsed: () => ({
    title: 'The session has expired',
    lead: 'Prices move, so the page is good for a short while only. Nothing was sold.',
  }),
};

export const SAYINGS: Readonly<Record<Side, Sayings>> = { buy: BUY, sell: SELL };

/** The way of an order that goes well. */
export const STEPS: Readonly<Record<Side, readonly string[]>> = {
  buy: ['Waiting for payment', 'Payment under way', 'Paid, coins on the way', 'Completed'],
  sell: ['Waiting for your coins', 'Coins on the way', 'Coins received, payout on the way', 'Completed'],
};

const PAYS: Readonly<Record<Side, Labels>> = {
  buy: {
    due: 'You pay',
    paid: 'You paid',
    done: 'You paid',
    undone: 'Was to be paid',
    returned: 'Returned',
  },
  sell: {
    due: 'You sell',
    paid: 'You sold',
    done: 'You sold',
    undone: 'Was to be sold',
    returned: 'Returned',
  },
};

const GETS: Labels = {
  due: 'You get',
  paid: 'You get',
  done: 'You received',
  undone: 'Was to be received',
  returned: 'Was to be received',
};

const WALLET: Readonly<Record<Side, Labels>> = {
  buy: {
    due: 'Goes to this wallet',
    paid: 'Goes to this wallet',
    done: 'Went to this wallet',
    undone: 'Was to go to this wallet',
    returned: 'Was to go to this wallet',
  },
  sell: {
    due: 'Comes back to, should the sale fail',
    paid: 'Comes back to, should the sale fail',
    done: 'Return address for your coins',
    undone: 'Return address for your coins',
    returned: 'Return address for your coins',
  },
};

const BANK: Readonly<Record<Exclude<BankPart, 'amount' | 'hint'>, string>> = {
  accountName: 'Account holder',
  iban: 'IBAN',
  bic: 'BIC',
  reference: 'Reference of the transfer (needed)',
  accountAddress: 'Address of the account holder',
  bankName: 'Bank',
  bankAddress: 'Address of the bank',
};

export const WORDS = {
  heading: (side: Side, asset: string) => (side === 'buy' ? `Buy ${asset}` : `Sell ${asset}`),
  with: (provider: string) => `with ${provider}`,
  pays: PAYS,
  gets: GETS,
  about: (sum: string) => `about ${sum}`,
  providerFee: (provider: string) => `${provider}’s fee`,
  networkFee: 'Network fee',
  quoted: (fee: string) => `${fee}, as quoted`,
  value: (side: Side, asset: string) => (side === 'buy' ? `Buys ${asset} for` : `${asset} sold for`),
  worth: (asset: string) => `Value of the ${asset}`,
  rate: 'Rate',
  method: (side: Side) => (side === 'buy' ? 'Payment method' : 'Payout method'),
  network: 'Network',
  provider: 'Provider',
  reference: 'Reference',
  wallet: WALLET,
  memo: 'Memo or tag',
  hash: (side: Side) => (side === 'buy' ? 'Transaction hash' : 'Hash of the coins you sent'),
  details: 'Details',
  progress: 'Progress',
  estimate: (provider: string) =>
    `Prices are ${provider}’s estimate. ${provider} shows the final amounts before you confirm.`,
  says: (provider: string, reason: string) => `${provider} says: ${reason}`,
  open: (provider: string) => `Continue with ${provider}`,
  resume: (provider: string) => `Open ${provider} again`,
  resumed: (side: Side) =>
    side === 'buy' ? 'If you have paid already, there is nothing more to do here.' : '',
  reopen: (provider: string) => `Open ${provider}’s page again`,
  reopened: (provider: string, side: Side) =>
    `Only if ${provider} still asks you for something. If you have ${side === 'buy' ? 'paid' : 'sent your coins'}, there is nothing more to do here.`,
  again: 'Start again',
  back: (host: string) => `Back to ${host}`,
  stay: 'Stay here',
  elsewhere: 'Open in a new window instead',
  walletPay: (method: string) =>
    `${method} may be missing inside a page. If so, open it in a new window instead.`,
  pageOf: (provider: string) => `${provider}’s page`,
  link: (provider: string) => `Open ${provider}’s page`,
  copy: 'Copy',
  depositTitle: (asset: string) => `Where to send your ${asset}`,
  depositAmount: (asset: string) => `Exact amount in ${asset}`,
  depositAddress: (network: string) => `Address on ${network}`,
  depositMemo: 'Memo or tag (needed)',
  depositQr: 'QR code of the address to send to',
  warning: (asset: string, network: string) =>
    `Send only ${asset}, and only on ${network}. Anything else is lost.`,
  memoWarning: 'Without the memo or tag your coins cannot be told from others’.',
  bankTitle: 'Where to transfer the money',
  bank: BANK,
  bankAmount: (fiat: string) => `Exact amount in ${fiat}`,
  referenceWarning: 'Name the reference exactly so: without it your payment cannot be told from others’.',
  footer: (provider: string) =>
    `You deal with ${provider} itself. This page never asks for card or bank details.`,
  retry: 'Try again',
  returned: 'You are back',
  returnedLead: 'This window closes by itself. If it does not, go on here:',
  goOn: 'Show my order',
  steppedBack: 'Go on where you came from. If this window does not close by itself, you may close it.',
} as const;

/** What a page that cannot be shown says instead. */
export function troubleSaying(status: number, message: string): Saying {
  if (status === 404) {
    return {
      title: 'This link does not work',
      lead: 'Check that it is complete, or go back to where you got it from.',
    };
  }
  if (status === 500 || status === 503) {
    return { title: 'Something is wrong on our side', lead: 'Nothing is lost. Try again in a moment.' };
  }
  return { title: 'That did not work', lead: message };
}

/** As a sentence begins. */
function begun(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
