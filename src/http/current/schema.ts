/** The current surface as schemas: they validate requests and are the OpenAPI document. */
import { type TSchema, Type } from 'typebox';
import { answers } from './answers.ts';

const Url = Type.String({ format: 'uri' });
const Id = Type.String();
/** Amounts are JSON numbers, exact in their shortest form. */
const Figure = Type.Number();

const message = <T extends TSchema>(payload: T) => Type.Object({ message: payload });

const SideQuery = Type.Optional(
  Type.Enum(['buy', 'sell'], { default: 'buy', description: 'Transaction type.' }),
);
const CountryQuery = Type.Optional(
  Type.String({
    maxLength: 64,
    description: 'ISO 3166-1 alpha-2; taken from the caller’s address when absent.',
  }),
);
const StateQuery = Type.Optional(
  Type.String({
    maxLength: 64,
    description: 'Two letters of a state, with country US only; some providers do not serve every state.',
  }),
);
const word = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });
const SwitchQuery = (description: string) =>
  Type.Optional(Type.Enum(['true', 'false'], { default: 'false', description }));

const CryptoAsset = Type.Object(
  {
    id: Id,
    code: Type.String(),
    name: Type.String(),
    symbol: Type.String(),
    network: Type.String(),
    decimals: Type.Integer(),
    address: Type.String({ description: 'Token contract; the zero address for a native coin.' }),
    chainId: Type.Integer({ description: 'EVM chain id; 0 where the network has none.' }),
    icon: Url,
    networkDisplayName: Type.String(),
  },
  { title: 'Crypto asset' },
);

const FiatCurrency = Type.Object(
  {
    id: Id,
    code: Type.String(),
    name: Type.String(),
    symbol: Type.String(),
    decimals: Type.Integer(),
    icon: Url,
  },
  { title: 'Fiat currency' },
);

const Bounds = Type.Object({ min: Type.Optional(Figure), max: Type.Optional(Figure) });

const PaymentType = Type.Object(
  { paymentTypeId: Id, name: Type.String(), icon: Url },
  { title: 'Payment type' },
);

const PaymentTypeWithLimits = Type.Object(
  {
    paymentTypeId: Id,
    name: Type.String(),
    icon: Url,
    details: Type.Object({
      currencyStatus: Type.Literal('SourceAndDestSupported'),
      limits: Type.Record(Type.String(), Bounds, {
        description: 'By provider id, and `aggregatedLimit` over all; in the source currency.',
      }),
    }),
  },
  { title: 'Payment type with limits' },
);

const DefaultsEntry = Type.Object(
  {
    source: Type.String(),
    target: Type.String(),
    amount: Figure,
    paymentMethod: Id,
    provider: Id,
  },
  { title: 'Defaults entry' },
);

const Icons = Type.Object({
  svg: Url,
  png: Type.Object({ '32x32': Url, '160x160': Url }),
});

const Provider = Type.Object(
  { id: Id, displayName: Type.String(), icon: Url, icons: Icons },
  { title: 'Provider' },
);

const ProviderAvailability = Type.Object(
  {
    onramp: Id,
    icon: Url,
    icons: Icons,
    displayName: Type.String(),
    country: Type.String({ description: 'Upper-case country code.' }),
    paymentMethods: Type.Array(Id),
    recommendedPaymentMethod: Id,
    recommendations: Type.Optional(
      Type.Array(Type.Object({ type: Type.String(), paymentMethods: Type.Array(Id) })),
    ),
  },
  { title: 'Provider availability' },
);

const AssetAvailability = Type.Object(
  {
    fiat: Type.Union([Id, Type.Array(Id)]),
    paymentMethods: Type.Array(Id),
    crypto: Type.Union([Id, Type.Array(Id)]),
  },
  { title: 'Asset availability entry' },
);

const Quote = Type.Object(
  {
    rate: Figure,
    networkFee: Figure,
    transactionFee: Figure,
    payout: Figure,
    sourceAmount: Type.Optional(
      Type.Number({ description: 'What is handed over; with `input=destination` only.' }),
    ),
    availablePaymentMethods: Type.Optional(Type.Array(PaymentTypeWithLimits)),
    ramp: Id,
    quoteId: Type.String({ maxLength: 128 }),
    paymentMethod: Id,
    recommendations: Type.Array(Type.Enum(['BestPrice', 'SuccessRate', 'LowKyc', 'ClientPreferred'])),
  },
  { title: 'Quote' },
);

const QuoteError = Type.Object(
  {
    ramp: Id,
    paymentMethod: Id,
    quoteId: Type.String({ maxLength: 128 }),
    errors: Type.Array(
      Type.Object({
        type: Type.Enum([
          'LimitMismatch',
          'QuoteParameterMismatch',
          'NoSupportedPaymentFound',
          'ProviderUnavailable',
          'ProviderValidation',
        ]),
        errorId: Type.Integer(),
        message: Type.String(),
        minAmount: Type.Optional(Figure),
        maxAmount: Type.Optional(Figure),
      }),
    ),
  },
  { title: 'Quote error' },
);

const catalog = { tags: ['Catalog'] };
const keyed = { security: [{ key: [] }] };

export const schemas = {
  supported: {
    ...catalog,
    summary: 'Assets and fiat currencies that can be bought or sold',
    querystring: Type.Object({ type: SideQuery }),
    response: answers(
      message(Type.Object({ crypto: Type.Array(CryptoAsset), fiat: Type.Array(FiatCurrency) })),
      'All that at least one enabled provider lists.',
    ),
  },
  paymentTypes: {
    ...catalog,
    summary: 'Payment types, by id',
    querystring: Type.Object({ country: CountryQuery, state: StateQuery, type: SideQuery }),
    response: answers(message(Type.Record(Type.String(), PaymentType)), 'Keyed by payment type id.'),
  },
  paymentTypesOf: {
    ...catalog,
    summary: 'Payment types of one currency, with limits',
    params: Type.Object({ fiat: word('A fiat currency; with `type=sell`, a crypto asset.') }),
    querystring: Type.Object({
      country: CountryQuery,
      state: StateQuery,
      type: SideQuery,
      destination: Type.Optional(word('The other currency.')),
    }),
    response: answers(message(Type.Array(PaymentTypeWithLimits)), 'Limits are in the source currency.'),
  },
  defaults: {
    ...catalog,
    summary: 'A sensible first choice for every country',
    querystring: Type.Object({ country: CountryQuery, state: StateQuery, type: SideQuery }),
    response: answers(
      message(
        Type.Object({
          recommended: Type.Union([
            Type.Object({ ...DefaultsEntry.properties, country: Type.String() }),
            Type.Null(),
          ]),
          defaults: Type.Record(Type.String(), DefaultsEntry),
        }),
      ),
      '`recommended` is for the resolved country, null where no provider serves it; `defaults` is by lower-case country code.',
    ),
  },
  assets: {
    ...catalog,
    ...keyed,
    summary: 'Which assets and payment methods go with which fiat',
    querystring: Type.Object({
      source: Type.Optional(word('Source currency; all when absent.')),
      country: CountryQuery,
      state: StateQuery,
      type: SideQuery,
    }),
    response: answers(
      message(Type.Object({ assets: Type.Array(AssetAvailability), country: Type.String() })),
      'With `type=sell` the entry is turned round: one crypto, its fiats.',
    ),
  },
  providers: {
    ...catalog,
    ...keyed,
    summary: 'Providers enabled for the calling key',
    response: answers(message(Type.Array(Provider)), 'In no particular order.'),
  },
  availability: {
    ...catalog,
    ...keyed,
    summary: 'Providers that serve a pair',
    querystring: Type.Object({
      source: word('Source currency.'),
      destination: word('Destination currency.'),
      country: CountryQuery,
      state: StateQuery,
      recommendations: SwitchQuery('Whether entries carry recommendations.'),
    }),
    response: answers(message(Type.Array(ProviderAvailability)), 'One entry per provider.'),
  },
  countries: {
    ...catalog,
    summary: 'Countries that at least one provider serves',
    response: answers(
      message(Type.Array(Type.Object({ countryCode: Type.String(), countryName: Type.String() }))),
      'By name.',
    ),
  },
  quotes: {
    tags: ['Quotes'],
    summary: 'Quotes of all providers: fiat/crypto buys, crypto/fiat sells',
    params: Type.Object({
      source: word('What is handed over: a fiat code for a buy, a crypto code or id for a sell.'),
      destination: word('What is received.'),
    }),
    querystring: Type.Object({
      amount: Type.String({ description: 'Decimal text, greater than zero.' }),
      paymentMethod: Type.Optional(Type.String({ default: 'creditcard', maxLength: 256 })),
      type: Type.Optional(
        Type.Enum(['buy', 'sell'], { description: 'When sent, must agree with the path.' }),
      ),
      country: CountryQuery,
      state: StateQuery,
      network: Type.Optional(word('Network of the crypto, when its code alone does not say.')),
      walletAddress: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      input: Type.Optional(
        Type.Enum(['source', 'destination'], {
          default: 'source',
          description: 'Whether `amount` is what is handed over or what is to be received.',
        }),
      ),
      errors: Type.Optional(
        Type.Enum(['all'], { description: 'Also list the providers that could not quote, and why.' }),
      ),
      uuid: Type.Optional(
        Type.String({
          pattern: '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$',
          description: 'The widget’s id of its user.',
        }),
      ),
      // A percent sign is left of an escape that was none.
      clientName: Type.Optional(Type.String({ pattern: '^[^\\p{C}%\\uFFFD]{1,256}$' })),
    }),
    response: answers(
      Type.Array(Type.Union([Quote, QuoteError])),
      'Best payout first. When nobody can quote, one element per provider says why. With `Accept: text/event-stream`: one `outcome` event per provider, then `done` with the array.',
    ),
  },
};
