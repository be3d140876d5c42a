/** The search for the amount that comes to the whole together with its fees, against fees of many kinds. */
import { describe, expect, it } from 'vitest';
import { type Amount, decimal, largest, raise, ZERO } from '../../domain/money.ts';
import type { Decline } from '../../domain/offer.ts';
import type { Context, Exchange, Work } from '../exchange.ts';
import { type Figures, findSource } from './prices.ts';

const NETWORK = decimal('0.17');
const native = { fiat: 'usd', asset: 'usdc', network: 'base' };
const context = { secret: (name: string) => name } as Context;

type Fee = (source: Amount) => Amount;

const share = (part: string, least = '0') => {
  const lowest = decimal(least);
  return (source: Amount) => largest(raise(source.times(part), 2), lowest) ?? lowest;
};
const flat = (fee: string) => () => decimal(fee);

const FEES: Record<string, Fee> = {
  'a share': share('0.0404'),
  'a share, but a floor': share('0.04', '3.99'),
  'a sum': flat('2.49'),
  nothing: flat('0'),
  'a sum and a share': source => decimal('1.50').plus(share('0.029')(source)),
  'less of what lies above': source => {
    const above = largest(source.minus(200), ZERO) ?? ZERO;
    return raise(source.minus(above).times('0.0404').plus(above.times('0.025')), 2);
  },
  'a floor, a share and less above': source =>
    source.gt(150) ? decimal(6).plus(share('0.01')(source.minus(150))) : share('0.04', '3.99')(source),
};

/** Does the work as the engine would, with a provider that takes such a fee. */
function search(
  whole: string,
  fee: Fee,
  total: Fee = sum => sum,
): { found: Figures | Decline; asked: string[] } {
  const asked: string[] = [];
  const goOn = (figures: Figures) => ({ ...figures, kind: 'found' as const });
  let work: Work<Figures | Decline> = findSource<Figures>({
    native,
    whole: decimal(whole),
    context,
    next: goOn,
  });
  while ('request' in work) {
    const { request, read }: Exchange<Figures | Decline> = work;
    const sent = request.query?.source_amount ?? '';
    asked.push(sent);
    work = read({ status: 200, body: bodyOf(decimal(sent), fee, total) });
  }
  return { found: work, asked };
}

function bodyOf(source: Amount, fee: Fee, total: Fee): unknown {
  const own = fee(source);
  const line = {
    ...{ destination_currency: 'usdc', destination_network: 'base', destination_amount: source.toString() },
    fees: { network_fee_monetary: NETWORK.toString(), transaction_fee_monetary: own.toString() },
    source_total_amount: total(costs(source, fee)).toString(),
  };
  return { source_currency: 'usd', destination_network_quotes: { base_network: [line] } };
}

const CENT = decimal('0.01');
const FEW = decimal('0.05');

function costs(source: Amount, fee: Fee): Amount {
  return source.plus(NETWORK).plus(fee(source));
}

describe('the amount that makes the whole', () => {
  it('is found where the fee has a floor, and never costs more', () => {
    for (const [whole, source] of Object.entries({ 6: '1.84', 12: '7.84', 15: '10.84', 20: '15.84' })) {
      const { found, asked } = search(whole, share('0.04', '3.99'));
      expect(found).toMatchObject({ source: decimal(source), total: decimal(whole) });
      expect(asked.length).toBe(3);
    }
  });

  it('is the amount that was asked about, also where their figures leave fractions of a cent', () => {
    const unrounded = (source: Amount) => source.times('0.0403456');
    for (const whole of ['57.31', '104.21', '333.33']) {
      const { found, asked } = search(whole, unrounded, total => raise(total, 2));
      const { source, total, networkFee, transactionFee } = found as Figures;
      expect(asked).toContain(source.toString());
      expect(total.minus(networkFee).minus(transactionFee).decimalPlaces()).toBeGreaterThan(2);
    }
  });

  it('takes two answers where all of the fee goes with the amount', () => {
    expect(search('52.19', share('0.0404')).asked).toEqual(['52.19', '49.99']);
    expect(search('313.21', share('0.0404')).asked).toEqual(['281.88', '300.88']);
  });

  it('takes one where it is what quotes are usually for', () => {
    expect(search('104.21', share('0.0404')).asked).toEqual(['100']);
  });

  it.each(Object.entries(FEES))('is looked for within the limits on it where the fee is %s', (_, fee) => {
    const [least, most] = [decimal(1), decimal(5000)];
    for (let cents = 0; cents < 300; cents++) {
      const more = CENT.times(cents);
      // At the very least a cent less may be asked about, as their fees are rounded.
      const small = search(costs(least.plus('0.02'), fee).plus(more).toString(), fee);
      expect(small.asked.filter(sent => least.gt(sent))).toEqual([]);
      const large = search(costs(most, fee).minus(more).toString(), fee);
      expect(large.asked.filter(sent => most.lt(sent))).toEqual([]);
      expect([small.found, large.found]).toMatchObject([{ kind: 'found' }, { kind: 'found' }]);
    }
    // One cent too much may be counted among the fees, two are too much.
    const { asked } = search(costs(most, fee).plus('0.02').toString(), fee);
    expect(most.lt(asked.at(-1) ?? '')).toBe(true);
  });

  it.each(Object.entries(FEES))('is the best there is, to two cents, where the fee is %s', (_, fee) => {
    for (let cents = 1; cents < 100_000; cents = Math.ceil(cents * 1.03)) {
      const whole = decimal(cents).times(CENT);
      const { found } = search(whole.toString(), fee);
      // What buys a few cents' worth of coins may be called too little.
      if (costs(FEW, fee).gt(whole) && 'reason' in found) {
        expect(found.reason).toBe('limit');
        continue;
      }
      expect(found).toMatchObject({ kind: 'found' });
      const { source, total } = found as Figures;
      const more = costs(source.plus('0.03'), fee);
      expect([total.lte(whole), more.gt(whole)], `of ${whole}`).toEqual([true, true]);
    }
  });

  it('is too little where the fees alone are more', () => {
    expect(search('4.16', share('0.04', '3.99')).found).toMatchObject({ kind: 'decline', reason: 'limit' });
  });

  it('is refused where none comes near it: a dearer or a much cheaper one is not gone on with', () => {
    const none = { kind: 'decline', reason: 'refused' };
    expect(search('50', source => decimal(100).minus(source)).found).toMatchObject(none);
    expect(search('210', source => decimal(source.gt(195) ? 30 : 3)).found).toMatchObject(none);
  });
});
