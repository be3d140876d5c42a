/** The page of an order: its address, and the token that it is found by. */
import type { WidgetSetup } from '../../src/http/widget/shape.ts';

export function orderPage({ url, language }: WidgetSetup, token: string): string {
  return `${url}/pay/${encodeURIComponent(token)}?lang=${language}`;
}

/** Undefined for the address of anything else. */
export function tokenIn(url: string): string | undefined {
  const [, token] = /\/pay\/([^/?#]+)(?:[?#]|$)/.exec(url) ?? [];
  return token && decodeURIComponent(token);
}
