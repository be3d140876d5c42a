/** The registry: every provider we speak to. A new provider is its folder and one line here. */

import { alchemypay } from './alchemypay/adapter.ts';
import { standin as alchemypayStandin } from './alchemypay/standin.ts';
import { banxa } from './banxa/adapter.ts';
import { standin as banxaStandin } from './banxa/standin.ts';
import { btcdirect } from './btcdirect/adapter.ts';
import { standin as btcdirectStandin } from './btcdirect/standin.ts';
import { coinbase } from './coinbase/adapter.ts';
import { standin as coinbaseStandin } from './coinbase/standin.ts';
import type { Adapter, Protocol } from './contract.ts';
import { guardarian } from './guardarian/adapter.ts';
import { standin as guardarianStandin } from './guardarian/standin.ts';
import { mercuryo } from './mercuryo/adapter.ts';
import { standin as mercuryoStandin } from './mercuryo/standin.ts';
import { moonpay } from './moonpay/adapter.ts';
import { standin as moonpayStandin } from './moonpay/standin.ts';
import { BUILT_IN, createOpenramp } from './openramp/adapter.ts';
import { standin as openrampStandin } from './openramp/standin.ts';
import { paybis } from './paybis/adapter.ts';
import { standin as paybisStandin } from './paybis/standin.ts';
import { rampnetwork } from './rampnetwork/adapter.ts';
import { standin as rampnetworkStandin } from './rampnetwork/standin.ts';
import { stripe } from './stripe/adapter.ts';
import { standin as stripeStandin } from './stripe/standin.ts';
import { swapped } from './swapped/adapter.ts';
import { standin as swappedStandin } from './swapped/standin.ts';
import { topper } from './topper/adapter.ts';
import { standin as topperStandin } from './topper/standin.ts';
import { transak } from './transak/adapter.ts';
import { standin as transakStandin } from './transak/standin.ts';
import type { Standin } from './world.ts';

export interface Registered {
  adapter: Adapter;
  standin: Standin;
}

export const registry: readonly Registered[] = [
  { adapter: moonpay, standin: moonpayStandin },
  { adapter: transak, standin: transakStandin },
  { adapter: mercuryo, standin: mercuryoStandin },
  { adapter: banxa, standin: banxaStandin },
  { adapter: paybis, standin: paybisStandin },
  { adapter: guardarian, standin: guardarianStandin },
  { adapter: stripe, standin: stripeStandin },
  { adapter: createOpenramp(BUILT_IN), standin: openrampStandin },
  { adapter: rampnetwork, standin: rampnetworkStandin },
  { adapter: alchemypay, standin: alchemypayStandin },
  { adapter: swapped, standin: swappedStandin },
  { adapter: coinbase, standin: coinbaseStandin },
  { adapter: btcdirect, standin: btcdirectStandin },
  { adapter: topper, standin: topperStandin },
];

/** What a provider may speak that an operator adds. */
export const protocols: Readonly<Record<string, Protocol>> = { openramp: createOpenramp };
