/** The checkout as schemas: what is documented. Bodies are checked by their reader, which sees numbers as they were written. */
import { type TSchema, Type } from 'typebox';
import { LONGEST_CONTEXT } from '../../domain/words.ts';
import { failures, Problem } from './answers.ts';
import { schemas } from './schema.ts';

const { properties: problem } = Problem;
const { country, state } = schemas.quotes.querystring.properties;

const nullable = <T extends TSchema>(schema: T, description?: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], description === undefined ? {} : { description }));

const Side = Type.Enum(['buy', 'sell']);
const color = () =>
  nullable(Type.String({ maxLength: 40 }), 'A colour such as `#1a2b3c` or `rgb(26, 43, 60)`.');

const Theme = Type.Object(
  {
    isDark: nullable(Type.Boolean()),
    themeName: nullable(Type.String({ maxLength: 64 })),
    primaryColor: color(),
    secondaryColor: color(),
    primaryTextColor: color(),
    secondaryTextColor: color(),
    cardColor: color(),
    borderRadius: nullable(
      Type.Union([Type.Number(), Type.String()]),
      'Pixels, or a length such as `8px` or `0.5rem`.',
    ),
  },
  { title: 'Theme' },
);

const address = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Checked by the rules of its chain, checksums included, and never altered.',
});
const memo = Type.Optional(
  Type.String({ maxLength: 256, description: 'Memo or tag, where the chain has them.' }),
);

const CheckoutIntentRequest = Type.Object(
  {
    onramp: Type.String({ description: 'Provider id.' }),
    source: Type.String({ description: 'What is handed over: a currency code or id.' }),
    destination: Type.String({ description: 'What is received: a currency code or id.' }),
    amount: Type.Number({
      exclusiveMinimum: 0,
      description:
        'Of the source currency; a number without exponent, with no more places than the currency.',
    }),
    type: Type.Optional(
      Type.Enum(['buy', 'sell'], { default: 'buy', description: 'Must agree with the currencies.' }),
    ),
    paymentMethod: nullable(Type.String({ default: 'creditcard' })),
    network: nullable(Type.String(), 'Of the crypto; must agree with it when its id names one.'),
    uuid: nullable(Type.String({ format: 'uuid' }), 'The widget’s id of its user.'),
    partnerContext: nullable(
      Type.String({ maxLength: LONGEST_CONTEXT }),
      'The client’s own order reference; comes back in transactions and events.',
    ),
    originatingHost: nullable(Type.String({ maxLength: 253 }), 'Host name of the page; no port.'),
    metaData: nullable(
      Type.Object({
        quoteId: nullable(
          Type.String({ minLength: 1, maxLength: 128 }),
          'That of a quote for the same order, whose figures our page then shows; the provider prices the order anew.',
        ),
      }),
    ),
    wallet: nullable(
      Type.Object({ address, memo }),
      'Where the coins go: required for a buy. For a sell, where they may come back to.',
    ),
    supportedParams: nullable(
      Type.Object({
        theme: nullable(Theme),
        partnerData: nullable(
          Type.Object({
            redirectUrl: nullable(
              Type.Object({
                success: nullable(
                  Type.String({ maxLength: 4_096 }),
                  'The way back, URL-encoded or plain: https to a host registered for the account.',
                ),
              }),
            ),
          }),
        ),
      }),
    ),
    signContent: nullable(Type.String(), 'The canonical text of this checkout, where it is signed.'),
    signature: nullable(Type.String(), 'The signature of `signContent`.'),
  },
  { title: 'Checkout intent request', description: 'Other members are ignored.' },
);

const CheckoutIntent = Type.Object(
  {
    validationInformation: Type.Boolean(),
    status: Type.Literal('in_progress'),
    sessionInformation: Type.Object({
      onramp: Type.String(),
      source: Type.String(),
      destination: Type.String(),
      amount: Type.Number(),
      type: Side,
      paymentMethod: Type.String(),
      network: Type.String(),
      uuid: Type.Optional(Type.String()),
      originatingHost: Type.Optional(Type.String()),
      wallet: Type.Object(
        { address: Type.Optional(Type.String()), memo: Type.Optional(Type.String()) },
        { description: 'As in the request; empty when there was none.' },
      ),
      supportedParams: Type.Object({ theme: Theme }),
      country: Type.String({ description: 'Upper-case country code.' }),
      expiringTime: Type.Integer({ description: 'Unix time in seconds.' }),
      sessionId: Type.String(),
    }),
    transactionInformation: Type.Object({
      transactionId: Type.String(),
      url: Type.String({ format: 'uri', description: 'The page to present to the person.' }),
      type: Type.Enum(['iframe', 'redirect'], { description: 'How to present it.' }),
      params: Type.Object({
        permissions: Type.String({ description: 'What the frame must allow: `camera; payment`.' }),
      }),
    }),
  },
  { title: 'Checkout intent response' },
);

const Declined = Type.Object(
  {
    ...problem,
    type: Type.Optional(
      Type.Enum([
        'LimitMismatch',
        'QuoteParameterMismatch',
        'NoSupportedPaymentFound',
        'ProviderUnavailable',
        'ProviderValidation',
      ]),
    ),
    minAmount: Type.Optional(Type.Number({ description: 'Of the source currency.' })),
    maxAmount: Type.Optional(Type.Number({ description: 'Of the source currency.' })),
  },
  { title: 'Declined' },
);

const answer = (schema: TSchema, description: string) => ({ description, ...schema });

export const checkoutSchemas = {
  intent: {
    tags: ['Checkout'],
    summary: 'Starts a purchase or a sale: a transaction, and a page where the person goes on',
    security: [{ key: [] }],
    querystring: Type.Object({ country, state }),
    headers: Type.Object({
      'idempotency-key': Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          description:
            'Chosen by the client, so that a repeated request gets the first one’s answer, for seven days. With another body: 422; while the first still runs: 409.',
        }),
      ),
    }),
    body: CheckoutIntentRequest,
    response: {
      200: answer(
        Type.Object({ message: CheckoutIntent }),
        'What nobody has opened by `expiringTime` expires; the session is good for this one order.',
      ),
      422: answer(Declined, 'The provider declined, or the idempotency key was used for another body.'),
      ...failures,
      '5xx': answer(
        Problem,
        'The provider failed (502) or was late (504), or the service is not ready (503).',
      ),
    },
  },
};
