/** Views of the current surface: domain values in the shapes its clients know. */
import type { Board, Quote, Refusal } from '../../app/quotes.ts';
import type { Availability, MethodOffer, Suggestion } from '../../app/supported.ts';
import type { Asset, Currencies, Fiat } from '../../domain/currency.ts';
import type { Prepared } from '../../domain/json.ts';
import type { Limits } from '../../domain/listing.ts';
import type { Ask, Decline, Outcome } from '../../domain/offer.ts';
import type { CountryCode, MethodId, ProviderId, Side } from '../../domain/words.ts';
import type { Manifest } from '../../providers/contract.ts';
import { DECLINES } from '../problem.ts';

export interface Views {
  asset(asset: Asset): object;
  fiat(fiat: Fiat): object;
  paymentType(method: MethodId): object;
  paymentTypeWithLimits(offer: MethodOffer): object;
  defaults(side: Side, suggestion: Suggestion): object;
  provider(manifest: Manifest): object;
  availability(entry: Availability, country: CountryCode, recommendations: boolean): object;
  board(board: Board, context: BoardContext): unknown[];
  outcome(outcome: Outcome, ask: Ask): object;
}

export interface BoardContext {
  ask: Ask;
  /** Payment types by provider. */
  methods: ReadonlyMap<ProviderId, Prepared>;
  /** Whether refusals follow the quotes even when there are quotes. */
  allErrors: boolean;
}

export interface ViewsOptions {
  currencies: Currencies;
  publicUrl(): string;
}

export function createViews({ currencies, publicUrl }: ViewsOptions): Views {
  const icon = (kind: string, name: string) => `${publicUrl()}/icons/${kind}/${name}.svg`;

  function paymentType(method: MethodId) {
    return {
      paymentTypeId: method,
      name: currencies.methods.get(method)?.name ?? method,
      icon: icon('payment', method),
    };
  }

  function providerIcons({ id }: Manifest) {
    const base = `${publicUrl()}/icons/onramp/${id}`;
    return { svg: `${base}.svg`, png: { '32x32': `${base}-32.png`, '160x160': `${base}-160.png` } };
  }

  return {
    asset: ({ main: _main, formerly: _formerly, ...asset }) => {
      const network = currencies.networks.get(asset.network);
      return {
        ...asset,
        chainId: network?.chainId ?? 0,
        icon: icon('crypto', asset.code.toLowerCase()),
        networkDisplayName: network?.name ?? asset.network,
      };
    },
    fiat: fiat => ({ ...fiat, icon: icon('fiat', fiat.id) }),
    paymentType,
    paymentTypeWithLimits: offer => ({ ...paymentType(offer.method), details: detailsOf(offer) }),
    defaults(side, { fiat, asset, amount, method, provider }) {
      const [source, target] = side === 'buy' ? [fiat.code, asset.code] : [asset.code, fiat.code];
      return { source, target, amount, paymentMethod: method, provider };
    },
    provider: manifest => ({
      id: manifest.id,
      displayName: manifest.name,
      icon: icon('onramp', manifest.id),
      icons: providerIcons(manifest),
    }),
    availability: ({ provider, methods, recommended, proven }, country, recommendations) => ({
      onramp: provider.id,
      icon: icon('onramp', provider.id),
      icons: providerIcons(provider),
      displayName: provider.name,
      country,
      paymentMethods: methods,
      recommendedPaymentMethod: recommended,
      ...(recommendations &&
        proven.length > 0 && { recommendations: [{ type: 'SuccessRate', paymentMethods: proven }] }),
    }),
    board({ quotes, refusals }, context) {
      const priced = quotes.map(quote => viewQuote(quote, context));
      if (priced.length > 0 && !context.allErrors) return priced;
      return [...priced, ...refusals.map(refusal => viewRefusal(refusal, context.ask))];
    },
    outcome({ provider, answer }, ask) {
      if (answer.kind === 'decline') {
        return { ramp: provider, paymentMethod: ask.method, errors: [viewDecline(answer)] };
      }
      return {
        ramp: provider,
        paymentMethod: ask.method,
        rate: answer.rate,
        networkFee: answer.networkFee,
        transactionFee: answer.providerFee,
        payout: answer.gets,
        sourceAmount: ask.amountOf === 'destination' ? answer.pays : undefined,
      };
    },
  };
}

function detailsOf({ limits, aggregated }: Pick<MethodOffer, 'limits' | 'aggregated'>) {
  return {
    currencyStatus: 'SourceAndDestSupported',
    limits: {
      ...Object.fromEntries([...limits].map(([provider, bounds]) => [provider, viewLimits(bounds)])),
      aggregatedLimit: viewLimits(aggregated),
    },
  };
}

function viewLimits({ min, max }: Limits) {
  return { min, max };
}

function viewQuote({ answer, provider, quoteId, recommendations }: Quote, { ask, methods }: BoardContext) {
  return {
    rate: answer.rate,
    networkFee: answer.networkFee,
    transactionFee: answer.providerFee,
    payout: answer.gets,
    sourceAmount: ask.amountOf === 'destination' ? answer.pays : undefined,
    availablePaymentMethods: ask.side === 'buy' ? methods.get(provider) : undefined,
    ramp: provider,
    quoteId,
    paymentMethod: ask.method,
    recommendations,
  };
}

function viewRefusal({ answer, provider, quoteId }: Refusal, ask: Ask) {
  return { ramp: provider, paymentMethod: ask.method, quoteId, errors: [viewDecline(answer)] };
}

function viewDecline({ reason, message, limits }: Decline) {
  return { ...DECLINES[reason], message, minAmount: limits?.min, maxAmount: limits?.max };
}
