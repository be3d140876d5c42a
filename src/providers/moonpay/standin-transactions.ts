/** MoonPay's transactions as its API and its webhooks write them. */
import { decimal, significant, ZERO } from '../../domain/money.ts';
import type { Side } from '../../domain/words.ts';
import type { Flow, Standing } from '../hosted.ts';
import { depositOf, hashOf, walletOf } from '../hosted-chain.ts';
import { IBAN, referenceOf } from '../hosted-forms.ts';
import { iso, uuid } from '../standin-kit.ts';
import type { World } from '../world.ts';
import { describeCoin, describeFiat } from './standin-lists.ts';
import { codesOf } from './standin-terms.ts';

/** Their sandbox asks for an address in the United Kingdom or the United States. */
export const COUNTRY = { alpha2: 'GB', alpha3: 'GBR' };

/** "Get buy transaction", "Get sell transaction". A card that has not been entered is no transaction yet. */
const STATUSES: Readonly<Record<Side, Record<Standing, string | undefined>>> = {
  buy: {
    none: undefined,
    awaiting: 'waitingPayment',
    authorizing: 'waitingAuthorization',
    verifying: 'waitingPayment',
    paid: 'pending',
    sending: 'pending',
    completed: 'completed',
    failed: 'failed',
    canceled: 'failed',
    expired: 'failed',
    refunded: 'failed',
  },
  sell: {
    none: undefined,
    awaiting: 'waitingForDeposit',
    authorizing: undefined,
    verifying: 'pending',
    paid: 'pending',
    sending: 'pending',
    completed: 'completed',
    failed: 'failed',
    canceled: 'failed',
    expired: 'failed',
    refunded: 'failed',
  },
};

/** Their word for where it is; undefined while it is no transaction of theirs. */
export function statusOf(
  { deal, standing, means, history }: Flow,
  at: Standing = standing,
): string | undefined {
  if (!history.length || (at === 'awaiting' && deal.side === 'buy' && means !== 'bank')) return undefined;
  return STATUSES[deal.side][at];
}

export function codeOf({ deal }: Flow, world: World): string {
  return [...codesOf(world.currencies)].find(([, asset]) => asset === deal.asset)?.[0] ?? '';
}

/** A transaction as it is now. */
export function transactionOf(flow: Flow, world: World): object {
  const status = statusOf(flow);
  return {
    id: flow.order,
    createdAt: iso(flow.createdAt),
    updatedAt: iso(flow.updatedAt),
    status,
    failureReason: status === 'failed' ? failureOf(flow) : null,
    ...(flow.deal.side === 'buy' ? bought(flow, world) : sold(flow, world)),
    extraFeeAmount: ZERO,
    flow: 'principal',
    customerId: uuid(`customer ${flow.email}`, world),
    cardId: flow.means === 'card' && flow.account ? uuid(`card ${flow.id}`, world) : null,
    bankAccountId: flow.means === 'bank' ? uuid(`bank ${flow.id}`, world) : null,
    externalCustomerId: flow.customer ?? null,
    externalTransactionId: flow.reference ?? null,
    country: COUNTRY.alpha3,
    state: null,
    ...ratesOf(flow, world),
  };
}

/** The timeouts are documented, one a side; they have no word for a customer who leaves. */
function failureOf({ standing, deal, reason }: Flow): string | null {
  if (standing === 'expired') return deal.side === 'buy' ? 'Bank transfer timeout' : 'Deposit timeout';
  return reason ?? null;
}

/** As the bank page of the widget shows it. */
const ACCOUNT = {
  iban: IBAN.replaceAll(' ', ''),
  bic: 'COBADEFFXXX',
  accountNumber: null,
  sortCode: null,
  bankName: 'Sandbox Bank',
  bankAddress: '1 Sandbox Street, Cologne, Germany',
  accountName: 'MoonPay Sandbox',
  accountAddress: '2 Sandbox Street, Dublin, Ireland',
};

function bought(flow: Flow, world: World): object {
  const { deal, standing, means } = flow;
  const isDone = standing === 'completed';
  const [baseCurrency] = describeFiat(deal.fiat, world);
  const [currency] = describeCoin(codeOf(flow, world), deal.asset, world);
  return {
    baseCurrencyAmount: deal.value,
    quoteCurrencyAmount: isDone ? deal.gets : null,
    feeAmount: deal.fee,
    networkFeeAmount: deal.networkFee,
    areFeesIncluded: true,
    walletAddress: walletOf(flow, world),
    walletAddressTag: flow.memo ?? null,
    cryptoTransactionId: isDone ? hashOf('delivery', flow, world) : null,
    paymentMethod: deal.method,
    baseCurrencyId: uuid(deal.fiat.id, world),
    baseCurrency,
    currencyId: uuid(deal.asset.id, world),
    currency,
    bankDepositInformation: means === 'bank' ? ACCOUNT : null,
    bankTransferReference: means === 'bank' ? referenceOf(flow) : null,
    redirectUrl: null,
    returnUrl: flow.returnUrl ?? null,
    widgetRedirectUrl: flow.returnUrl ?? null,
    isFromQuote: false,
    isRecurring: false,
    feeAmountDiscount: null,
    extraFeeAmountDiscount: null,
    nftToken: null,
    nftTransaction: null,
    stages: stagesOf(flow),
  };
}

function sold(flow: Flow, world: World): object {
  const { deal, standing } = flow;
  const { address, memo } = depositOf(flow, world);
  const arrived = flow.history.some(said => said.standing === 'paid');
  const refunded = standing === 'refunded';
  const [baseCurrency] = describeCoin(codeOf(flow, world), deal.asset, world);
  const [quoteCurrency] = describeFiat(deal.fiat, world);
  const depositWalletId = uuid(`wallet ${flow.id}`, world);
  return {
    baseCurrencyAmount: deal.pays,
    quoteCurrencyAmount: deal.gets,
    feeAmount: deal.fee,
    payoutMethod: deal.method,
    baseCurrency,
    quoteCurrency,
    depositWallet: {
      id: depositWalletId,
      walletAddress: address,
      walletAddressTag: memo ?? null,
      btcLegacyAddress: null,
    },
    depositWalletId,
    depositHash: arrived ? hashOf('deposit', flow, world) : null,
    confirmations: arrived ? 3 : 0,
    refundWalletAddress: flow.wallet ?? null,
    refundHash: refunded ? hashOf('refund', flow, world) : null,
    refundApprovalStatus: refunded ? 'approved' : null,
    quoteExpiresAt: iso(flow.createdAt + 30 * 60_000),
    cancelledById: null,
    blockedById: null,
    integratedSellDepositInfo: null,
  };
}

/** How far an order is, as one number a stage; where it ended otherwise, the stage it was in has failed. */
const REACHED: Partial<Record<Standing, number>> = {
  awaiting: 0,
  verifying: 0,
  authorizing: 1,
  paid: 2,
  sending: 3,
};
const STAGES = ['stage_two_verification', 'stage_three_processing', 'stage_four_delivery'];

function stagesOf({ means, standing, history, reason }: Flow): object[] {
  const reached = Math.max(0, ...history.map(said => REACHED[said.standing] ?? 0));
  const isDone = standing === 'completed';
  const hasFailed = !isDone && REACHED[standing] === undefined;
  const first = means === 'bank' ? 'stage_one_waiting_payment' : 'stage_one_ordering';
  return [first, ...STAGES].map((stage, at) => {
    const failed = hasFailed && at === reached;
    const past = isDone || at < reached;
    const status = past ? 'success' : failed ? 'failed' : at === reached ? 'in_progress' : 'not_started';
    return { stage, status, failureReason: failed ? (reason ?? null) : null, actions: [], metaData: [] };
  });
}

function ratesOf({ deal }: Flow, { market }: World): object {
  const perEuro = market.perEuro(deal.fiat.code) ?? decimal(1);
  const rate = (code: string) => significant((market.perEuro(code) ?? ZERO).div(perEuro), 8);
  return { eurRate: rate('EUR'), usdRate: rate('USD'), gbpRate: rate('GBP') };
}
