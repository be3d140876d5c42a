/** The counter of signed checkouts: what one says, what somebody on the way would rather have, and how it is signed and handed in. */
import { createSeal } from '../../src/app/seal.ts';
import { addSigningKey, addSigningSecret, requireSignature } from '../../src/app/signed-checkout.ts';
import { type Heard, JSON_BODY } from './caller.ts';
import { type Scene, SHOP } from './scene.ts';
import {
  contentOf,
  type Form,
  membersOf,
  newPen,
  type Pen,
  type Said,
  type Signed,
  signText,
  writeBody,
} from './signing.ts';
import type { Field } from './tricks.ts';

export const SAID: Said = {
  ...{
    onramp: 'moonpay',
    source: 'eur',
    destination: 'xrp',
    network: 'ripple',
    amount: '100.50',
    type: 'buy',
  },
  ...{ paymentMethod: 'creditcard', partnerContext: 'order 7/\u00e4&b', memo: '12345' },
  address: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh',
  redirect: `https%3A%2F%2F${SHOP}%2Fdone`,
};

/** What somebody on the way would rather have: each by itself as good as the value it replaces. */
export const EVIL: Readonly<Record<Field, string>> = {
  ...{
    onramp: 'transak',
    source: 'usd',
    destination: 'btc',
    network: 'bitcoin',
    amount: '200.00',
    type: 'sell',
  },
  ...{ paymentMethod: 'applepay', partnerContext: 'order 8/\u00e4&b', memo: '54321' },
  address: 'rDsbeomae4FXwgQTJp9Rs64Qg9vDiTCdBv',
  redirect: `https%3A%2F%2F${SHOP}%2Felsewhere`,
};

export const FIELDS = Object.keys(SAID) as Field[];
export const AT_ONCE = 8;

export interface Counter {
  scene: Scene;
  pen: Pen;
  post(body: string, key?: string): Promise<Heard>;
  examples: string[];
}

/** From here on nothing of the account is bought that is not signed. */
export async function openCounter(scene: Scene): Promise<Counter> {
  const pen = await givePen(scene);
  return { scene, pen, post: poster(scene), examples: [] };
}

export const nowInSeconds = () => Math.floor(Date.now() / 1000);

export function signNow({ scene, pen }: Counter, form: Form): Signed {
  return signText(pen, form, contentOf(SAID, scene.world.chance.hex(24), nowInSeconds()));
}

/** A secret and a key to sign with, without which nothing is bought from now on; known when an unsigned checkout is refused. */
async function givePen({ database, signing, world, caller, secrets }: Scene): Promise<Pen> {
  const masterKey = Buffer.from(world.env.MASTER_KEY ?? '', 'hex');
  const seal = createSeal(masterKey, 'account-signers');
  const { secret } = await addSigningSecret({ database, seal }, signing.publicKey);
  secrets.add(secret);
  const pen = newPen(secret);
  await addSigningKey(
    database,
    signing.publicKey,
    pen.publicKey.export({ type: 'spki', format: 'pem' }) as string,
  );
  await requireSignature(database, signing.publicKey, true);
  const headers = [['authorization', signing.publicKey] as const, JSON_BODY];
  const body = writeBody(Object.entries(membersOf(SAID)));
  for (let tries = 0; tries < 200; tries++) {
    const { status } = await caller.call({ method: 'POST', path: '/checkout/intent', headers, body });
    if (status === 403) return pen;
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  throw new Error('checkouts that are not signed are still accepted');
}

function poster({ caller, signing }: Scene): Counter['post'] {
  return (body, key) => {
    const headers = [['authorization', signing.publicKey] as const, JSON_BODY];
    const also = key === undefined ? [] : [['idempotency-key', key] as const];
    return caller.call({ method: 'POST', path: '/checkout/intent', headers: [...headers, ...also], body });
  };
}
