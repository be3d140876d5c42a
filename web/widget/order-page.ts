/** The page of an order: its address, the token that it is found by, and the link that leads to it. */
import type { WidgetSetup } from '../../src/http/widget/shape.ts';

export function orderPage({ url, language }: WidgetSetup, token: string): string {
  return `${url}/pay/${encodeURIComponent(token)}?lang=${language}`;
}

/** Undefined for the address of anything else. */
export function tokenIn(url: string): string | undefined {
  const [, token] = /\/pay\/([^/?#]+)(?:[?#]|$)/.exec(url) ?? [];
  return token && decodeURIComponent(token);
}

/** What tells of the page around the widget, or of the person. */
const PRIVATE = ['embedder', 'wallets', 'networkWallets', 'walletAddressTags', 'partnerContext', 'uuid'];

/** The same widget, opened at the order: nothing of the page around it, nor of the person. */
export function orderLink(href: string, token: string): string {
  const url = new URL(href);
  for (const name of PRIVATE) url.searchParams.delete(name);
  url.hash = `order=${encodeURIComponent(token)}`;
  return url.href;
}
