/** Guardarian's lists imitated: currencies with their networks and payment methods, and countries. */
import type { Asset } from '../../domain/currency.ts';
import { isNative } from '../standin-kit.ts';
import type { StandinAnswer, World } from '../world.ts';
import * as terms from './standin-terms.ts';

export function currencies(world: World): StandinAnswer {
  const byCode = new Map<string, Asset[]>();
  for (const asset of terms.coinsOf(world.currencies).values()) {
    if (world.market.price(asset, 'EUR')) byCode.set(asset.code, [...(byCode.get(asset.code) ?? []), asset]);
  }
  return {
    status: 200,
    body: {
      fiat_currencies: Object.keys(terms.FIATS).map((code, at) => describeFiat(code, at, world)),
      crypto_currencies: [...byCode].map(([code, assets], at) => describeCoin(code, at, assets)),
    },
  };
}

function about(type: 'FIAT' | 'CRYPTO', ticker: string, id: number): object {
  return {
    ...{ id, currency_type: type, ticker, enabled: true, enabled_subscription: false, is_available: true },
    ...{ is_featured: id < 5, logo_url: '', default_exchange_value: type === 'FIAT' ? '400' : '1' },
  };
}

/** Deposits are what comes in to them. */
function describeFiat(code: string, at: number, { currencies: known }: World): object {
  const payment_methods = (terms.FIATS[code] ?? []).flatMap(payment_category =>
    (terms.CATEGORIES[payment_category]?.types ?? []).map(type => ({
      ...{ type, payment_category, deposit_enabled: true },
      withdrawal_enabled: terms.takes('sell', code, payment_category),
    })),
  );
  const name = known.findFiat(code)?.name;
  return { ...about('FIAT', code, at + 1), name, has_external_id: false, payment_methods, networks: [] };
}

function describeCoin(code: string, at: number, assets: readonly Asset[]): object {
  const networks = assets.map(asset => ({
    name: asset.network,
    network: terms.networkOf(asset),
    block_explorer_url_mask: null,
    token_contract: isNative(asset) ? null : asset.address,
    network_fee: '0',
    payment_methods: [
      {
        ...{ type: 'CRYPTO_THROUGH_CN', payment_category: 'CRYPTO', withdrawal_enabled: true },
        deposit_enabled: terms.trades('sell', asset),
      },
    ],
  }));
  return { ...about('CRYPTO', code, 50 + at), name: assets[0]?.name, payment_methods: [], networks };
}

export function countries({ currencies: known }: World): StandinAnswer {
  const body = [...known.countries.values()].map(({ code, name }, at) => ({
    ...{ id: at + 1, country_name: name, code_iso_alpha_2: code, supported: terms.isServed(code) },
  }));
  return { status: 200, body };
}
