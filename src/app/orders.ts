/** Orders as adapters see them: a transaction in its provider's words. */
import type { Currencies } from '../domain/currency.ts';
import type { NativeOrder } from '../providers/contract.ts';
import type { Order, Transaction } from '../store/transactions.ts';

export interface OrderView {
  currencies: Currencies;
  email?: string | undefined;
  returnUrl: string;
  /** Where we are to be reached. */
  publicUrl: string;
  /** What opens the provider's order, where its id alone does not. */
  access?: string | undefined;
  clientIp: string | undefined;
}

export function nativeOrder(order: Order & Partial<Transaction>, view: OrderView): NativeOrder {
  const fiat = view.currencies.fiats.get(order.fiat);
  const asset = view.currencies.assets.get(order.asset);
  if (!fiat || !asset) throw new Error(`transaction ${order.id} names a currency that is no longer known`);
  const { isDark, primaryColor } = order.theme as { isDark?: boolean; primaryColor?: string };
  return {
    id: order.id,
    side: order.side,
    fiat,
    asset,
    method: order.method,
    country: order.country,
    amount: order.amount,
    native: order.native,
    wallet: order.walletAddress ? { address: order.walletAddress, memo: order.walletMemo } : undefined,
    email: view.email,
    returnUrl: view.returnUrl,
    hookUrl: `${view.publicUrl}/hooks/${order.provider}`,
    theme: { isDark: isDark === true, primaryColor },
    theirs: order.standing?.theirs || undefined,
    access: view.access,
    createdAt: order.createdAt.getTime(),
    clientIp: view.clientIp,
  };
}
