/** What is counted, for Prometheus. No label ever holds anything about a person. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { OutcomeKind } from './engine/auction.ts';
import type { BreakerState } from './engine/health.ts';

export interface Metrics {
  /** The text Prometheus scrapes. */
  render(): Promise<string>;
  contentType: string;
  providerAnswered(provider: string, kind: OutcomeKind, milliseconds: number): void;
  requestServed(route: string, status: number, milliseconds: number): void;
}

export interface LineState {
  provider: string;
  environment: string;
  state: BreakerState;
}

const STATES: readonly BreakerState[] = ['closed', 'open', 'probing'];

/** `lines` tells the breakers' states when they are asked for. */
export function createMetrics(lines: () => readonly LineState[]): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const latency = new Histogram({
    name: 'cloverleaf_provider_seconds',
    help: 'How long a provider took to answer a quote.',
    labelNames: ['provider'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
    registers,
  });
  const outcomes = new Counter({
    name: 'cloverleaf_provider_outcomes_total',
    help: 'What came of asking a provider for a quote.',
    labelNames: ['provider', 'outcome'],
    registers,
  });
  new Gauge({
    name: 'cloverleaf_provider_breaker',
    help: 'State of a provider’s breaker: 1 for the state it is in.',
    labelNames: ['provider', 'environment', 'state'],
    registers,
    collect() {
      this.reset();
      for (const { provider, environment, state } of lines()) {
        for (const name of STATES) this.set({ provider, environment, state: name }, name === state ? 1 : 0);
      }
    },
  });
  const requests = new Histogram({
    name: 'cloverleaf_request_seconds',
    help: 'How long a request took, by route and status.',
    labelNames: ['route', 'status'],
    buckets: [0.005, 0.025, 0.1, 0.5, 1, 2, 2.5],
    registers,
  });
  return {
    render: () => registry.metrics(),
    contentType: registry.contentType,
    providerAnswered(provider, kind, milliseconds) {
      outcomes.inc({ provider, outcome: kind });
      if (kind !== 'skipped' && kind !== 'absurd') latency.observe({ provider }, milliseconds / 1000);
    },
    requestServed: (route, status, milliseconds) => requests.observe({ route, status }, milliseconds / 1000),
  };
}
