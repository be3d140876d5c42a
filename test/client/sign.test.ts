/** Checkouts are signed as the service wants them signed. */
import { expect, it } from 'vitest';
import { signCheckout } from '../../client/src/sign.ts';

const SECRET = 'ss_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';

it('makes the text and the signature of the documented example', async () => {
  const intent = {
    onramp: 'moonpay',
    source: 'eur',
    destination: 'xrp',
    network: 'ripple',
    amount: '100.50',
    type: 'buy' as const,
    paymentMethod: 'creditcard',
    partnerContext: 'order 7/ä&b',
    wallet: { address: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh', memo: '12345' },
    supportedParams: {
      partnerData: { redirectUrl: { success: 'https%3A%2F%2Fshop.example%2Fdone%3Forder%3D7' } },
    },
  };
  const signed = await signCheckout(intent, {
    secret: SECRET,
    nonce: '01JGFJJZ00ABCDEFGHJKMNPQRS',
    now: 1_767_225_600_999,
  });
  expect(signed).toEqual({
    ...intent,
    signContent: [
      'amount=100.50&destination=xrp&network=ripple&nonce=01JGFJJZ00ABCDEFGHJKMNPQRS&onramp=moonpay',
      'partnerContext=order%207%2F%C3%A4%26b&paymentMethod=creditcard',
      'redirect=https%253A%252F%252Fshop.example%252Fdone%253Forder%253D7&source=eur&timestamp=1767225600&type=buy',
      'wallet=rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh:12345',
    ].join('&'),
    signature: '802f5c5bd9124d2c921f6fc1006c18df6dacade3780df1d3045ce3811499af03',
  });
});

it('leaves empty what the order does not say, and takes a new nonce each time', async () => {
  const intent = { onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100 };
  const [first, second] = await Promise.all([
    signCheckout(intent, { secret: SECRET }),
    signCheckout(intent, { secret: SECRET }),
  ]);
  expect(first.signContent).toMatch(
    /^amount=100&destination=btc&network=&nonce=[0-9a-f]{32}&onramp=moonpay&partnerContext=&paymentMethod=&redirect=&source=eur&timestamp=\d+&type=&wallet=$/,
  );
  expect(second.signContent).not.toBe(first.signContent);
});

it('leaves empty what is null, as the service reads it', async () => {
  const nothing = null as unknown as undefined;
  const intent = { onramp: 'moonpay', source: 'eur', destination: 'xrp', amount: 100 };
  const wallet = { address: 'rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh', memo: nothing };
  const signed = await signCheckout({ ...intent, partnerContext: nothing, wallet }, { secret: SECRET });
  expect(signed.signContent).toMatch(/&partnerContext=&.*&wallet=rEb8TK3gBgk5auZkwc6sHnwrGVJH8DuaLh$/);
});

it.each([
  ['partnerContext', { partnerContext: '\ud800' }],
  ['wallet.address', { wallet: { address: 'a\udc00' } }],
  ['wallet.memo', { wallet: { address: 'a', memo: '\ud800b' } }],
])('says where there is half a character: %s', async (field, change) => {
  const intent = { onramp: 'moonpay', source: 'eur', destination: 'xrp', amount: 100, ...change };
  await expect(signCheckout(intent, { secret: SECRET })).rejects.toMatchObject({
    name: 'CloverleafError',
    kind: 'badInput',
    field,
  });
});

it.each(['', undefined as unknown as string])('says which secret is missing when it is %o', async secret => {
  const intent = { onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100 };
  await expect(signCheckout(intent, { secret })).rejects.toMatchObject({ kind: 'badInput', field: 'secret' });
});
