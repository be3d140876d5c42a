/** What is counted, for Prometheus. No label ever holds anything about a person. */
import type { IntakeOutcome } from './app/intake.ts';
import type { Status } from './domain/transaction.ts';
import type { OutcomeKind } from './engine/bid.ts';
import type { BreakerState } from './engine/health.ts';
import { createCounter, createGauge, createHistogram, createProcessFamilies, type Family } from './series.ts';

export interface Metrics {
  /** The text Prometheus scrapes. */
  render(): string;
  contentType: string;
  providerAnswered(provider: string, kind: OutcomeKind, milliseconds: number): void;
  /** A request to a provider was not sent, because it allows no more at present. */
  requestWithheld(provider: string, environment: string): void;
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
  /** Somebody was refused for there being too many, or a connection was ended. */
  refused(reason: string): void;
}

export interface LineState {
  provider: string;
  environment: string;
  state: BreakerState;
}

/** What a provider took no time for: it was not asked, or it is not about one answer. */
const UNASKED: ReadonlySet<OutcomeKind> = new Set(['skipped', 'absurd', 'busy']);
const STATES: readonly BreakerState[] = ['closed', 'open', 'probing'];

/** What is not counted but looked at when somebody asks. */
export interface Gauges {
  /** The breakers' states. */
  lines(): readonly LineState[];
  /** How many quotes are under way. */
  rounds?(): number;
  /** Log lines that nobody took. */
  dropped?(): number;
}

export function createMetrics({ lines, rounds = () => 0, dropped = () => 0 }: Gauges): Metrics {
  const latency = createHistogram({
    name: 'cloverleaf_provider_seconds',
    help: 'How long a provider took to answer a quote.',
    labels: ['provider'],
    bounds: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 5],
  });
  const outcomes = createCounter({
    name: 'cloverleaf_provider_outcomes_total',
    help: 'What came of asking a provider for a quote.',
    labels: ['provider', 'outcome'],
  });
  const breakers = createGauge({
    name: 'cloverleaf_provider_breaker',
    help: 'State of a provider’s breaker: 1 for the state it is in.',
    labels: ['provider', 'environment', 'state'],
    read: () =>
      lines().flatMap(({ provider, environment, state }) =>
        STATES.map(name => [name === state ? 1 : 0, provider, environment, name] as const),
      ),
  });
  const withheld = createCounter({
    name: 'cloverleaf_provider_withheld_total',
    help: 'Requests to a provider that were not sent, because it allows no more at a time.',
    labels: ['provider', 'environment'],
  });
  const unlogged = createGauge({
    name: 'cloverleaf_log_lines_dropped_total',
    help: 'Log lines that could not be written, and were let go of.',
    labels: [],
    read: () => [[dropped()]],
    grows: true,
  });
  const underWay = createGauge({
    name: 'cloverleaf_quotes_under_way',
    help: 'Quotes under way, equal ones counted once.',
    labels: [],
    read: () => [[rounds()]],
  });
  const requests = createHistogram({
    name: 'cloverleaf_request_seconds',
    help: 'How long a request took, by route and status.',
    labels: ['route', 'status'],
    bounds: [0.005, 0.025, 0.1, 0.5, 1, 2, 2.5],
  });
  const counter = (name: string, help: string, labels: string[]) =>
    createCounter({ name: `cloverleaf_${name}_total`, help, labels });
  const remembered = counter('catalog_remembered', 'Catalog requests that were answered from memory.', []);
  const webhooks = counter('webhooks_in', 'What became of providers’ webhooks.', ['provider', 'outcome']);
  const deliveries = counter('webhooks_out', 'What became of our webhooks, attempt by attempt.', ['outcome']);
  const statuses = counter('statuses', 'Statuses that transactions reached.', ['provider', 'status']);
  const contradictions = counter('contradictions', 'Transactions of which two ends were told.', ['provider']);
  const refusals = counter('refused', 'Requests refused and connections ended for there being too many.', [
    'reason',
  ]);
  const families: Family[] = [
    ...[latency, outcomes, breakers, requests, remembered, webhooks, deliveries, statuses, contradictions],
    ...[refusals, underWay, unlogged, withheld],
    ...createProcessFamilies(),
  ];
  return {
    render: () => families.map(({ write }) => write()).join('\n'),
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    providerAnswered(provider, kind, milliseconds) {
      outcomes.add(provider, kind);
      if (!UNASKED.has(kind)) latency.observe(milliseconds / 1000, provider);
    },
    requestWithheld: (provider, environment) => withheld.add(provider, environment),
    catalogAnswered: () => remembered.add(),
    webhookReceived: (provider, outcome) => webhooks.add(provider, outcome),
    eventDelivered: outcome => deliveries.add(outcome),
    statusReached: (provider, status) => statuses.add(provider, status),
    contradictionSeen: provider => contradictions.add(provider),
    refused: reason => refusals.add(reason),
    requestServed: (route, status, milliseconds) =>
      requests.observe(milliseconds / 1000, route, String(status)),
  };
}
