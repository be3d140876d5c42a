/** Headers of the widget's page: what it may load, and who may show it in a frame. */
import type { Account } from '../../app/accounts.ts';
import { OWN_POWERS, originsOf } from '../pay/headers.ts';
import { contentSecurity } from '../security.ts';

export interface WidgetPlace {
  /** Our own origin, as people see it. */
  origin: string;
  nonce: string;
}

/**
 * Pages of the account's registered origins may frame it, or any while it has registered none: its key is public, and
 * an order that is made here is the person's own.
 */
export function widgetHeaders(account: Pick<Account, 'origins'>, place: WidgetPlace): Record<string, string> {
  const registered = originsOf(account.origins);
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    // The wallet of a person may be in the address; it is nobody's business but ours.
    'referrer-policy': 'origin',
    'x-content-type-options': 'nosniff',
    'cross-origin-opener-policy': 'unsafe-none',
    'cross-origin-resource-policy': 'cross-origin',
    'permissions-policy': OWN_POWERS,
    'content-security-policy': contentSecurity({
      'default-src': [],
      'script-src': ["'self'"],
      'style-src': ["'self'", `'nonce-${place.nonce}'`],
      // Icons are named by our public address, whatever address the page was opened by.
      'img-src': ["'self'", place.origin, 'data:'],
      'connect-src': ["'self'"],
      // The pay page, which brings the provider's.
      'frame-src': ["'self'"],
      'form-action': [],
      'base-uri': [],
      'frame-ancestors': registered.length > 0 ? ["'self'", ...registered] : ['*'],
    }),
  };
}
