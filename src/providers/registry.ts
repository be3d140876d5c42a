/** The registry: every provider we speak to. A new provider is its folder and one line here. */
import type { Adapter } from './contract.ts';
import { mercuryo } from './mercuryo/adapter.ts';
import { standin as mercuryoStandin } from './mercuryo/standin.ts';
import { moonpay } from './moonpay/adapter.ts';
import { standin as moonpayStandin } from './moonpay/standin.ts';
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
];
