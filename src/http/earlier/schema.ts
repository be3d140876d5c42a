/** The earlier surface as schemas: they validate requests and are the OpenAPI document. */
import { type TSchema, Type } from 'typebox';

const Url = Type.String({ format: 'uri' });
const Id = Type.String();
/** Amounts are JSON numbers, exact in their shortest form. */
const Figure = Type.Number();

const tags = ['Earlier surface'];

const word = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });
const flag = (description: string) =>
  Type.Optional(Type.Enum(['true', 'false'], { default: 'false', description }));
const CountryQuery = Type.Optional(
  Type.String({
    maxLength: 64,
    description: 'ISO 3166-1 alpha-2, or `all`; taken from the caller’s address when absent.',
  }),
);
const StateQuery = Type.Optional(
  Type.String({ maxLength: 64, description: 'Two letters of a state, with country US only.' }),
);
const Amount = Type.String({ description: 'Decimal text, greater than zero.' });

/** The error body of this surface. */
const EarlierProblem = Type.Object(
  {
    message: Type.String(),
    field: Type.Optional(Type.String({ description: 'The parameter at fault.' })),
    fatal: Type.Optional(Type.Boolean({ description: 'The order cannot go on.' })),
  },
  { title: 'Problem of the earlier surface' },
);

export const earlierFailures = {
  '4xx': { description: 'The request cannot be served as it is.', ...EarlierProblem },
  '5xx': { description: 'It cannot be served at the moment.', ...EarlierProblem },
};

const answers = (schema: TSchema, description: string) => ({
  200: { description, ...schema },
  ...earlierFailures,
});

const Gateway = Type.Object(
  {
    identifier: Id,
    paymentMethods: Type.Array(Id),
    fiatCurrencies: Type.Array(Type.Object({ id: Id, code: Type.String(), precision: Type.Integer() })),
    cryptoCurrencies: Type.Array(
      Type.Object({
        id: Type.String({ description: 'The code for a main network, else `CODE_NETWORK`.' }),
        code: Type.String(),
        precision: Type.Integer(),
        network: Type.Optional(Type.String()),
        displayName: Type.Optional(Type.String()),
        supportsAddressTag: Type.Optional(Type.Boolean()),
      }),
    ),
  },
  { title: 'Gateway' },
);

const GatewayList = Type.Object({
  gateways: Type.Array(Gateway),
  localization: Type.Object({
    country: Type.String({ description: 'Lower-case country code.' }),
    state: Type.Union([Type.String(), Type.Null()]),
    currency: Type.String(),
  }),
  icons: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Object({ name: Type.String(), icon: Url, symbol: Type.Optional(Type.String()) }),
      { description: 'By currency code and payment method.' },
    ),
  ),
  defaultAmounts: Type.Optional(Type.Record(Type.String(), Figure, { description: 'By fiat code.' })),
});

/** What a step may hold differs by its type; every step says which it is. */
export const StepBody = Type.Object(
  { type: Type.String() },
  { title: 'Step', additionalProperties: true, description: 'What the person does next.' },
);

const RateEntry = Type.Object(
  {
    identifier: Id,
    icon: Type.Optional(Url),
    duration: Type.Object({ seconds: Type.Integer(), message: Type.String() }),
    available: Type.Boolean(),
    rate: Type.Optional(Type.Number({ description: 'Fiat for one unit of crypto, before fees.' })),
    fees: Type.Optional(Type.Number({ description: 'All fees, in fiat.' })),
    requiredKYC: Type.Optional(
      Type.Array(Type.Union([Type.String(), Type.Array(Type.String())]), {
        description: 'What is asked of the person at this amount; of an inner list one suffices.',
      }),
    ),
    receivedCrypto: Type.Optional(
      Type.Number({
        description:
          'What is received; with `amountInCrypto`, the fiat to pay; on a sale, the fiat paid out.',
      }),
    ),
    nextStep: Type.Optional(StepBody),
    error: Type.Optional(
      Type.Object({
        type: Type.Enum(['MIN', 'MAX', 'UNREACHABLE', 'OTHER']),
        message: Type.String(),
        limit: Type.Number({ description: 'With MIN and MAX, in the unit of `amount`; otherwise 0.' }),
      }),
    ),
  },
  { title: 'Rate entry' },
);

const MethodParam = word('A payment method, as `/gateways` has it.');

export const earlierSchemas = {
  gateways: {
    tags,
    summary: 'Gateways and what they sell',
    querystring: Type.Object({
      country: CountryQuery,
      state: StateQuery,
      includeIcons: flag('Whether icons of currencies and payment methods are included.'),
      includeDefaultAmounts: flag('Whether a usual amount of each fiat is included.'),
    }),
    response: answers(
      GatewayList,
      'In one entry every payment method works with every currency; a gateway may come several times.',
    ),
  },
  rate: {
    tags,
    summary: 'Rates of all gateways for a purchase',
    params: Type.Object({
      fromCurrency: word('A fiat currency.'),
      toCurrency: word('A crypto currency, by code or id.'),
      paymentMethod: MethodParam,
      amount: Amount,
    }),
    querystring: Type.Object({
      country: CountryQuery,
      state: StateQuery,
      includeIcons: flag('Whether entries carry the icon of their gateway.'),
      amountInCrypto: flag('Whether `amount` is the crypto to buy instead of the fiat to spend.'),
      address: Type.Optional(
        Type.String({ minLength: 1, maxLength: 256, description: 'Where the crypto is to go.' }),
      ),
      addressTag: Type.Optional(
        Type.String({ minLength: 1, maxLength: 256, description: 'Tag or memo beside the address.' }),
      ),
      minAmountEur: Type.Optional(
        Type.String({ maxLength: 32, description: 'The least that an order must be worth, in euros.' }),
      ),
      gateway: Type.Optional(word('The only gateway to ask.')),
    }),
    response: answers(
      Type.Array(RateEntry),
      'One entry per gateway: the best price first, then those that cannot serve the request, and why.',
    ),
  },
  routing: {
    tags,
    summary: 'What suits a country best',
    params: Type.Object({ country: word('ISO 3166-1 alpha-2, or `all`.') }),
    response: answers(
      Type.Object({
        recommended: Type.Array(
          Type.Object({ crypto: Type.String(), fiat: Type.String(), gateway: Id }, { title: 'Route' }),
        ),
      }),
      'Empty where no gateway serves the country.',
    ),
  },
  sell: {
    tags,
    summary: 'The best rate for a sale',
    params: Type.Object({
      crypto: word('A crypto currency, by code or id.'),
      fiat: word('A fiat currency.'),
      paymentMethod: MethodParam,
      amount: Type.String({ description: 'Decimal text, greater than zero: the crypto to sell.' }),
    }),
    querystring: Type.Object({
      country: CountryQuery,
      state: StateQuery,
      includeIcons: flag('Whether the entry carries the icon of its gateway.'),
    }),
    response: answers(RateEntry, 'The best price; without one, the error that is easiest to mend.'),
  },
  sellAtHome: {
    tags,
    summary: 'The best rate for a sale, in the currency of the country',
    params: Type.Object({
      crypto: word('A crypto currency, by code or id.'),
      paymentMethod: MethodParam,
      amount: Type.String({ description: 'Decimal text, greater than zero: the crypto to sell.' }),
    }),
    querystring: Type.Object({
      country: CountryQuery,
      state: StateQuery,
      includeIcons: flag('Whether the entry carries the icon of its gateway.'),
    }),
    response: answers(RateEntry, 'The best price; without one, the error that is easiest to mend.'),
  },
};
