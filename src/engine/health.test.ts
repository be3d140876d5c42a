/** Health: when a provider is left alone, when it is tried again, and what it takes to be trusted. */
import { describe, expect, it, vi } from 'vitest';
import { createHealth } from './health.ts';
import { Upstream, type UpstreamKind } from './upstream.ts';

const NOW = 1_800_000_000_000;
const nextTurn = () => new Promise(resolve => setImmediate(resolve));
const trouble = (kind: UpstreamKind = 'late', retryAfterMs?: number) =>
  new Upstream(kind, 'trouble', retryAfterMs);

/** A breaker that has just opened at `NOW`. */
function opened(options = {}) {
  const health = createHealth({ ...options });
  for (let failure = 0; failure < 5; failure++) health.failed(trouble(), NOW);
  return health;
}

describe('the breaker', () => {
  it.each(['late', 'unreachable', 'reset', 'tooLarge', 'garbage', 'status'] as const)(
    'opens after five failures in a row (%s), not after four',
    kind => {
      const health = createHealth();
      for (let failure = 0; failure < 4; failure++) health.failed(trouble(kind), NOW);
      expect([health.state(), health.admit(NOW)]).toEqual(['closed', 'go']);
      health.failed(trouble(kind), NOW);
      expect([health.state(), health.admit(NOW)]).toEqual(['open', 'skip']);
    },
  );

  it('counts what an adapter throws as a failure', () => {
    const health = createHealth();
    for (const error of [new Error('x'), new TypeError('y'), undefined, 'text', null])
      health.failed(error, NOW);
    expect(health.state()).toBe('open');
  });

  it('stays closed when a success comes between', () => {
    const health = createHealth();
    for (let round = 0; round < 20; round++) {
      health.failed(trouble(), NOW);
      if (round % 4 === 3) health.succeeded();
    }
    expect(health.state()).toBe('closed');
  });

  it.each(['withdrawn', 'busy'] as const)(
    'does not hold it against a provider that we gave up (%s)',
    kind => {
      const health = createHealth();
      for (let round = 0; round < 20; round++) health.failed(trouble(kind), NOW);
      expect([health.state(), health.admit(NOW)]).toEqual(['closed', 'go']);
    },
  );

  it('lets one probe through after the pause, and nobody else while it is under way', () => {
    const health = opened();
    expect(health.admit(NOW + 4_999)).toBe('skip');
    expect(health.admit(NOW + 5_000)).toBe('probe');
    expect(health.state()).toBe('probing');
    expect([health.admit(NOW + 5_001), health.admit(NOW + 60_000)]).toEqual(['skip', 'skip']);
  });

  it('closes when the probe succeeds', () => {
    const health = opened();
    health.admit(NOW + 5_000);
    health.succeeded();
    expect([health.state(), health.admit(NOW + 5_001)]).toEqual(['closed', 'go']);
  });

  it('doubles its pause with every failed probe, up to a minute', () => {
    const health = opened();
    let at = NOW;
    const pauses = [5_000, 10_000, 20_000, 40_000, 60_000, 60_000];
    for (const pause of pauses) {
      expect(health.admit(at + pause - 1)).toBe('skip');
      at += pause;
      expect(health.admit(at)).toBe('probe');
      health.failed(trouble(), at);
      expect(health.state()).toBe('open');
    }
  });

  it('begins with the short pause again after it has been closed', () => {
    const health = opened();
    health.admit(NOW + 5_000);
    health.failed(trouble(), NOW + 5_000);
    health.admit(NOW + 15_000);
    health.succeeded();
    for (let failure = 0; failure < 5; failure++) health.failed(trouble(), NOW + 16_000);
    expect([health.admit(NOW + 20_999), health.admit(NOW + 21_000)]).toEqual(['skip', 'probe']);
  });

  it('is not closed by a late success of a request sent before it opened', () => {
    const health = opened();
    health.succeeded();
    expect([health.state(), health.admit(NOW + 1)]).toEqual(['open', 'skip']);
  });

  it.each(['withdrawn', 'busy'] as const)('probes again when a probe could not be carried out (%s)', kind => {
    const health = opened();
    expect(health.admit(NOW + 5_000)).toBe('probe');
    health.failed(trouble(kind), NOW + 5_001);
    expect(health.admit(NOW + 120_000)).toBe('probe');
  });
});

describe('requests under way', () => {
  it('are ended once the breaker has opened, each once, and not those that have finished', async () => {
    const health = createHealth();
    const { underWay } = health;
    const [finished, waiting, other, late] = [vi.fn(), vi.fn(), vi.fn(), vi.fn()];
    const first = underWay.add({ giveUp: finished });
    underWay.add({ giveUp: waiting });
    underWay.add({ giveUp: other });
    const last = underWay.add({ giveUp: late });
    underWay.strike(first);
    for (let failure = 0; failure < 8; failure++) health.failed(trouble(), NOW);
    // Whoever is to be answered now comes before those that it has got.
    expect(waiting).not.toHaveBeenCalled();
    underWay.strike(last);
    await nextTurn();
    const calls = [finished, waiting, other, late].map(giveUp => giveUp.mock.calls.length);
    expect(calls).toEqual([0, 1, 1, 0]);
    expect(waiting.mock.calls[0]).toMatchObject([{ kind: 'withdrawn' }]);
  });

  it('are not ended before there are enough failures', async () => {
    const health = createHealth();
    const waiting = vi.fn();
    health.underWay.add({ giveUp: waiting });
    for (let failure = 0; failure < 4; failure++) health.failed(trouble(), NOW);
    await nextTurn();
    expect(waiting).not.toHaveBeenCalled();
  });

  it('may end others while they are being ended', async () => {
    const health = createHealth();
    const ended: string[] = [];
    const { underWay } = health;
    const second = underWay.add({ giveUp: () => ended.push('second') });
    underWay.add({
      giveUp() {
        ended.push('first');
        underWay.strike(second);
      },
    });
    for (let failure = 0; failure < 5; failure++) health.failed(trouble(), NOW);
    await nextTurn();
    expect(ended).toContain('first');
  });
});

describe('a provider that wants to be left alone', () => {
  it('is left alone exactly as long as its Retry-After says', () => {
    const health = createHealth();
    health.failed(trouble('limited', 30_000), NOW);
    expect([health.admit(NOW + 29_999), health.admit(NOW + 30_000)]).toEqual(['skip', 'go']);
    expect(health.state()).toBe('closed');
  });

  it('is left alone also by whoever was admitted before, which an open breaker does not ask for', () => {
    const health = createHealth();
    health.failed(trouble('limited', 30_000), NOW);
    expect([health.isLeftAlone(NOW + 29_999), health.isLeftAlone(NOW + 30_000)]).toEqual([true, false]);
    expect(opened().isLeftAlone(NOW)).toBe(false);
  });

  it('is left alone for some seconds when it does not say how long', () => {
    const health = createHealth();
    health.failed(trouble('limited'), NOW);
    expect([health.admit(NOW + 4_999), health.admit(NOW + 5_000)]).toEqual(['skip', 'go']);
  });

  it('cannot banish itself for more than an hour', () => {
    const health = createHealth();
    health.failed(trouble('limited', 10 ** 12), NOW);
    expect([health.admit(NOW + 3_599_999), health.admit(NOW + 3_600_000)]).toEqual(['skip', 'go']);
  });

  it('is not asked sooner because another answer of its names a shorter time or succeeds', () => {
    const health = createHealth();
    health.failed(trouble('limited', 30_000), NOW);
    health.failed(trouble('limited', 1_000), NOW + 10);
    health.succeeded();
    expect(health.admit(NOW + 29_999)).toBe('skip');
  });

  it('is not asked sooner because the breaker opens meanwhile', () => {
    const health = createHealth();
    health.failed(trouble('limited', 30_000), NOW);
    for (let failure = 0; failure < 5; failure++) health.failed(trouble('status'), NOW + 10);
    expect([health.admit(NOW + 6_000), health.admit(NOW + 29_999)]).toEqual(['skip', 'skip']);
    expect(health.admit(NOW + 30_000)).toBe('probe');
  });

  it('is probed again, not trusted, when it answers a probe so', () => {
    const health = opened();
    health.admit(NOW + 5_000);
    health.failed(trouble('limited', 30_000), NOW + 5_000);
    expect([health.state(), health.admit(NOW + 34_999), health.admit(NOW + 35_000)]).toEqual([
      'open',
      'skip',
      'probe',
    ]);
  });
});

describe('refused credentials', () => {
  it('open the breaker at once, for a minute, and call the operator', async () => {
    const onUnauthorized = vi.fn();
    const giveUp = vi.fn();
    const health = createHealth({ onUnauthorized });
    health.underWay.add({ giveUp });
    health.failed(trouble('unauthorized'), NOW);
    await nextTurn();
    expect([onUnauthorized.mock.calls.length, giveUp.mock.calls.length, health.state()]).toEqual([
      1,
      1,
      'open',
    ]);
    expect([health.admit(NOW + 59_999), health.admit(NOW + 60_000)]).toEqual(['skip', 'probe']);
  });
});
