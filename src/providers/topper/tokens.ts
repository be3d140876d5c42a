/** Bootstrap tokens: what a price or a page is asked for with, signed by us and good for three minutes. */
import type { Side } from '../../domain/words.ts';
import type { Context } from '../exchange.ts';
import { writeParts } from '../jwt.ts';

/** A widget goes one way, and may have keys of its own; `jti` must be new each time, and comes back with every event. */
export function bootstrapToken(
  side: Side,
  claims: { jti: string } & Record<string, unknown>,
  context: Context,
): string {
  const { widget, kid, key } = side === 'buy' ? onramp(context) : offramp(context);
  const text = writeParts(
    { typ: 'JWT', alg: 'ES256', kid },
    { iat: Math.floor(context.now / 1000), sub: widget, ...claims },
  );
  return `${text}.${context.sign('es256-base64url', key, text)}`;
}

function onramp({ settings: { buyWidgetId, keyId } }: Context) {
  return { widget: buyWidgetId, kid: keyId, key: 'signingKey' };
}

/** What was not set for it is the same as the on-ramp's. */
function offramp({ settings: { sellWidgetId, sellKeyId, keyId }, has }: Context) {
  const key = has('sellSigningKey') ? 'sellSigningKey' : 'signingKey';
  return { widget: sellWidgetId, kid: sellKeyId || keyId, key };
}

/** An order may be opened more than once, and each time by another token. */
export function tokenId(reference: string, { now }: Context): string {
  return `${reference}.${now.toString(36)}`;
}

/** The reference that a token's id was made from. */
export function referenceIn(id: string | undefined): string | undefined {
  return id?.replace(/\.[0-9a-z]{1,12}$/, '');
}
