/** The answer to a checkout, in the shape its clients know. */
import type { Intent, Wish } from '../../app/checkout.ts';
import { JsonNumber } from '../../domain/json-strict.ts';
import { readDecimal } from '../../domain/money.ts';
import type { CheckoutForm } from './checkout-read.ts';

/** The session echoes the request; references of the partner's own stay between the two of us. */
export function viewIntent(intent: Intent, wish: Wish, spelled: CheckoutForm['spelled']): object {
  return {
    message: {
      validationInformation: true,
      status: 'in_progress',
      sessionInformation: {
        onramp: wish.provider,
        source: spelled.source,
        destination: spelled.destination,
        amount: wish.amount,
        type: wish.side,
        paymentMethod: wish.method,
        network: wish.asset.network,
        uuid: wish.uuid,
        originatingHost: wish.originatingHost,
        wallet: wish.wallet ?? {},
        supportedParams: { theme: viewTheme(spelled.theme) },
        country: wish.country,
        expiringTime: Math.floor(intent.expiresAt / 1_000),
        sessionId: intent.sessionId,
      },
      transactionInformation: {
        transactionId: intent.transactionId,
        url: intent.url,
        type: intent.opens,
        params: { permissions: intent.permissions.join('; ') },
      },
    },
  };
}

function viewTheme(spelled: CheckoutForm['spelled']['theme']): object {
  const theme: Record<string, unknown> = {};
  for (const name of Object.keys(spelled)) {
    const value = spelled[name];
    theme[name] = value instanceof JsonNumber ? readDecimal(value.text) : value;
  }
  return theme;
}
