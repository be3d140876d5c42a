/** Takers: who is to be heard on an ask, told from the answers below /supported alone. */
import type { Get } from './world.ts';

export interface Wanted {
  /** `eur/btc` for a buy, `btc/eur` for a sell, as in the path of a quote. */
  pair: string;
  method?: string;
  country?: string;
}

export interface StatedLimits {
  min?: number;
  max?: number;
}

interface Offered {
  paymentTypeId: string;
  details: { limits: Record<string, StatedLimits> };
}

/** The payment types of a pair, each with the providers that take it and the limits they state. */
export async function offeredFor(get: Get, { pair, country = 'de' }: Wanted) {
  const [source = '', destination = ''] = pair.split('/');
  const type = (await isFiat(get, source)) ? 'buy' : 'sell';
  const { body } = await get(
    `/supported/payment-types/${source}?type=${type}&destination=${destination}&country=${country}`,
  );
  return new Map(
    (body.message as Offered[]).map(({ paymentTypeId, details }) => {
      const { aggregatedLimit: _all, ...own } = details.limits;
      return [paymentTypeId, new Map(Object.entries(own))] as const;
    }),
  );
}

/** The limits that each taker of the method states. */
export async function limitsOf(get: Get, wanted: Wanted): Promise<Map<string, StatedLimits>> {
  return (await offeredFor(get, wanted)).get(wanted.method ?? 'creditcard') ?? new Map();
}

/** The method a provider is best asked for by: the card, or the first that it takes. */
export async function methodOf(get: Get, wanted: Wanted, provider: string): Promise<string> {
  const offered = [...(await offeredFor(get, wanted))].filter(([, limits]) => limits.has(provider));
  const methods = offered.map(([method]) => method);
  return methods.find(method => method === 'creditcard') ?? methods[0] ?? 'none';
}

/** Who takes the method, whatever the amount; or only those within whose limits it is. */
export async function takers(get: Get, wanted: Wanted & { amount?: number }): Promise<string[]> {
  const { amount } = wanted;
  const fits = ({ min = 0, max = Number.POSITIVE_INFINITY }: StatedLimits) =>
    amount === undefined || (min <= amount && amount <= max);
  const limits = await limitsOf(get, wanted);
  return [...limits].flatMap(([ramp, stated]) => (fits(stated) ? [ramp] : [])).sort();
}

async function isFiat(get: Get, word: string): Promise<boolean> {
  const { fiat } = (await get('/supported')).body.message;
  return fiat.some(({ id }: { id: string }) => id === word);
}
