/** What is counted, for Prometheus. No label ever holds anything about a person. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { IntakeOutcome } from './app/intake.ts';
import type { Status } from './domain/transaction.ts';
import type { OutcomeKind } from './engine/auction.ts';
import type { BreakerState } from './engine/health.ts';

export interface Metrics {
  /** The text Prometheus scrapes. */
  render(): Promise<string>;
  contentType: string;
  providerAnswered(provider: string, kind: OutcomeKind, milliseconds: number): void;
  requestServed(route: string, status: number, milliseconds: number): void;
  /** A catalog request was answered from memory; too quick to be timed one by one. */
  catalogAnswered(): void;
  /** Something happened to a provider's webhook. */
  webhookReceived(provider: string, outcome: IntakeOutcome): void;
  /** A webhook of ours was sent, with this outcome. */
  eventDelivered(outcome: string): void;
  /** A transaction reached a status. */
  statusReached(provider: string, status: Status): void;
  /** A provider told of ends that cannot both be true. */
  contradictionSeen(provider: string): void;
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
  let remembered = 0;
  new Counter({
    name: 'cloverleaf_catalog_remembered_total',
    help: 'Catalog requests that were answered from memory.',
    registers,
    collect() {
      this.inc(remembered);
      remembered = 0;
    },
  });
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name: `cloverleaf_${name}_total`, help, labelNames, registers });
  const webhooks = counter('webhooks_in', 'What became of providers’ webhooks.', ['provider', 'outcome']);
  const deliveries = counter('webhooks_out', 'What became of our webhooks, attempt by attempt.', ['outcome']);
  const statuses = counter('statuses', 'Statuses that transactions reached.', ['provider', 'status']);
  const contradictions = counter('contradictions', 'Transactions of which two ends were told.', ['provider']);
  const outcomeOf = once((provider: string, outcome: string) => outcomes.labels({ provider, outcome }));
  const latencyOf = once((provider: string) => latency.labels({ provider }));
  const requestsOf = once((route: string, status: number) => requests.labels({ route, status }));
  return {
    render: () => registry.metrics(),
    contentType: registry.contentType,
    providerAnswered(provider, kind, milliseconds) {
      outcomeOf(provider, kind).inc();
      if (kind !== 'skipped' && kind !== 'absurd') latencyOf(provider).observe(milliseconds / 1000);
    },
    catalogAnswered: () => void remembered++,
    webhookReceived: (provider, outcome) => webhooks.inc({ provider, outcome }),
    eventDelivered: outcome => deliveries.inc({ outcome }),
    statusReached: (provider, status) => statuses.inc({ provider, status }),
    contradictionSeen: provider => contradictions.inc({ provider }),
    requestServed: (route, status, milliseconds) => requestsOf(route, status).observe(milliseconds / 1000),
  };
}

/** Remembers what is made for each combination of words: labels are few, and looking them up costs more than counting. */
function once<W extends (string | number)[], T>(make: (...words: W) => T): (...words: W) => T {
  const made = new Map<string, T>();
  return (...words) => {
    const key = words.join('|');
    const known = made.get(key);
    if (known !== undefined) return known;
    const value = make(...words);
    made.set(key, value);
    return value;
  };
}
