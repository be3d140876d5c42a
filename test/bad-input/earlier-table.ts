/** The earlier surface as a table: every parameter of every operation, its kind, and a request that is good. */
import * as addresses from './addresses.ts';
import * as figures from './figures.ts';
import { lenient, never, ours } from './kind.ts';
import * as orders from './orders.ts';
import type { Live, Operation, Parameters, Table } from './parameter.ts';
import * as words from './words.ts';

const place: Parameters = {
  country: words.countryOrAll,
  state: { kind: words.state, query: { country: 'us' } },
};
const DE = { country: 'de' };
const earlier = (more: Omit<Operation, 'surface'> = {}): Operation => ({ surface: 'earlier', ...more });

/** Here a field is one of the step's form, and nothing else is called one. */
const UNNAMED = { names: ['undefined'] };
const ICONS = { includeIcons: words.onOff };

export function earlierTable({ stepToken }: Live): Table {
  const token = {
    kind: never('step', 'nobodys', ['x'.repeat(300), 'x'.repeat(5_000), ...orders.ID_SEEDS]),
    ...UNNAMED,
  };
  const step = {
    identifier: { kind: never('identifier', 'nope', ['MOONPAY', ...words.provider.seeds]), ...UNNAMED },
    token,
  };
  const form = { path: { identifier: 'moonpay', token: stepToken } };
  return {
    'get /legacy/gateways': earlier({
      query: { ...place, ...ICONS, includeDefaultAmounts: words.onOff },
      always: DE,
    }),
    'get /legacy/rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}': earlier({
      path: {
        fromCurrency: words.fiat,
        toCurrency: words.crypto,
        paymentMethod: words.method,
        amount: figures.amount(2),
      },
      query: {
        ...place,
        ...ICONS,
        amountInCrypto: words.onOff,
        address: orders.wallet,
        addressTag: {
          kind: orders.tag,
          path: { toCurrency: 'xrp' },
          query: { address: orders.WALLETS.ripple },
        },
        minAmountEur: figures.amountOrZero(2),
        gateway: words.provider,
      },
      always: DE,
    }),
    'get /legacy/routing/{country}': earlier({ path: { country: words.countryOrAll } }),
    'get /legacy/sell/{crypto}/{fiat}/{paymentMethod}/{amount}': earlier({
      path: {
        crypto: words.crypto,
        fiat: words.fiat,
        paymentMethod: words.payout,
        amount: figures.amount(8, '0.01'),
      },
      query: { ...place, ...ICONS },
      always: DE,
    }),
    'get /legacy/sell/{crypto}/{paymentMethod}/{amount}': earlier({
      path: { crypto: words.crypto, paymentMethod: words.payout, amount: figures.amount(8, '0.01') },
      query: { ...place, ...ICONS },
      always: DE,
    }),
    'post /legacy/transaction/{identifier}/form/{token}': earlier({
      path: step,
      body: {
        email: { kind: addresses.email, required: true, ...form },
        cryptocurrencyAddress: { kind: orders.stepWallet, required: true, ...form },
      },
      sends: { email: addresses.email.good, cryptocurrencyAddress: orders.stepWallet.good },
    }),
    'post /legacy/transaction/{identifier}/wait/{token}': earlier({ path: step }),
    'post /legacy/transaction/{identifier}/file/{token}': earlier({ path: step }),
    'put /legacy/transaction/{identifier}/file/{token}': earlier({ path: step }),
    'get /legacy/transaction/{identifier}/pay/{token}': earlier({ path: step }),
    // Pages, which people see.
    'get /legacy/transaction/{identifier}/return/{token}': { surface: 'page', path: step },
    'get /legacy/transaction/assets/{file}': {
      surface: 'page',
      path: {
        file: ours('file', 'step-back.js', ['..', '../package.json', 'pay.js', 'nope.js', 'x'.repeat(300)]),
      },
      query: { v: lenient('version', '1', 'it only keeps old copies apart') },
    },
  };
}
