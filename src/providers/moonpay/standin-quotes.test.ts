/** MoonPay's quotes imitated: amounts are taken with no more places than its list of currencies says. */
import { expect, it } from 'vitest';
import { type Loose, setStage } from '../../../test/stage.ts';
import { moonpayLink } from '../../../test/stage-links.ts';

const { ask, open } = setStage();
const KEY = 'apiKey=pk_test_cloverleaf';
const CURRENCIES = '/moonpay/api/v3/currencies';

it('refuses amounts with more places than it lists, by quote and on its page', async () => {
  const { body } = await ask(`${CURRENCIES}?${KEY}`);
  const precision = (wanted: string) => body.find(({ code }: Loose) => code === wanted).precision;
  expect([precision('usdc'), precision('btc'), precision('eur')]).toEqual([2, 8, 2]);

  const sell = `${CURRENCIES}/usdc/sell_quote?${KEY}&quoteCurrencyCode=eur`;
  const buy = `${CURRENCIES}/usdc/buy_quote?${KEY}&baseCurrencyCode=eur&areFeesIncluded=true`;
  const asked = [
    `${sell}&baseCurrencyAmount=100.12`,
    `${sell}&baseCurrencyAmount=100.123`,
    `${sell}&quoteCurrencyAmount=100.123`,
    `${buy}&baseCurrencyAmount=100.12`,
    `${buy}&baseCurrencyAmount=100.123`,
    `${buy}&quoteCurrencyAmount=100.123`,
  ];
  const answers = await Promise.all(asked.map(path => ask(path)));
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 200, 400, 400]);

  const page = (baseCurrencyAmount: string) =>
    open(moonpayLink('sell', { baseCurrencyCode: 'usdc', baseCurrencyAmount }));
  expect([(await page('100.12')).status, (await page('100.123')).status]).toEqual([200, 400]);
});
