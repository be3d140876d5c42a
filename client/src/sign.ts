/** Signed checkouts: a server says what an order is, so that nothing on a page can make it another one. */
import type { CheckoutIntent } from './asks.ts';
import { randomKey, toHex } from './chance.ts';
import { badInput } from './error.ts';
import { amountText } from './exact.ts';
import { encodedText } from './inputs.ts';

export interface Signing {
  /** The account's signing secret, `ss_…`: for servers only, never for a page. */
  secret: string;
  /** Never used before: 16 to 64 of `A–Z a–z 0–9 _ -`. */
  nonce?: string | undefined;
  /** Milliseconds since 1970; the present when nothing is said. */
  now?: number | undefined;
}

/** The same order with its signature; hand it to the page, which must send it within five minutes and as it is. */
export async function signCheckout(intent: CheckoutIntent, signing: Signing): Promise<CheckoutIntent> {
  const { secret, nonce = randomKey(), now = Date.now() } = signing;
  if (!secret) throw badInput('secret', 'secret must be the signing secret of the account, ss_…');
  const amount = amountText(intent.amount);
  const signContent = contentOf({ ...intent, amount }, nonce, Math.floor(now / 1_000));
  const encoder = new TextEncoder();
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, encoder.encode(signContent));
  return { ...intent, amount, signContent, signature: toHex(new Uint8Array(signature)) };
}

/** Every value exactly as the body has it, in the order of the names. */
function contentOf(intent: CheckoutIntent, nonce: string, timestamp: number): string {
  const { wallet, supportedParams } = intent;
  const values = {
    amount: intent.amount,
    destination: intent.destination,
    network: intent.network,
    nonce,
    onramp: intent.onramp,
    partnerContext: intent.partnerContext,
    paymentMethod: intent.paymentMethod,
    redirect: supportedParams?.partnerData?.redirectUrl?.success,
    source: intent.source,
    timestamp,
    type: intent.type,
  };
  const pairs = Object.entries(values).map(
    ([name, value]) => `${name}=${encodedText(name, String(value ?? ''))}`,
  );
  const { address, memo } = wallet ?? {};
  // What is null in the body is nothing to the service.
  const tag = memo === undefined || memo === null ? '' : `:${encodedText('wallet.memo', memo)}`;
  return `${pairs.join('&')}&wallet=${encodedText('wallet.address', address ?? '')}${tag}`;
}
