/** Series in the text format of Prometheus, read back as a scraper would. */
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createCounter, createGauge, createHistogram, createProcessFamilies } from './series.ts';

describe('a counter', () => {
  it('counts by labels, and writes each with its own', () => {
    const counter = createCounter({ name: 'seen_total', help: 'What was seen.', labels: ['who', 'what'] });
    counter.add('a', 'x');
    counter.add('a', 'x');
    counter.add('b', 'x');
    expect(counter.write()).toBe(
      '# HELP seen_total What was seen.\n# TYPE seen_total counter\n' +
        'seen_total{who="a",what="x"} 2\nseen_total{who="b",what="x"} 1\n',
    );
  });

  it('without labels is there from the beginning', () => {
    const counter = createCounter({ name: 'all_total', help: 'All.', labels: [] });
    expect(counter.write()).toContain('\nall_total 0\n');
    counter.add();
    expect(counter.write()).toContain('\nall_total 1\n');
  });

  it('writes whatever a label holds so that it can be read', () => {
    const counter = createCounter({ name: 'odd_total', help: 'Odd.', labels: ['what'] });
    counter.add('a "b"\n\\');
    expect(counter.write()).toContain('odd_total{what="a \\"b\\"\\n\\\\"} 1\n');
  });
});

describe('a histogram', () => {
  it('counts what lies at or below each bound, all of it, and its sum', () => {
    const histogram = createHistogram({ name: 'took', help: 'Took.', labels: ['who'], bounds: [0.5, 1] });
    for (const value of [0.25, 0.5, 0.75, 4]) histogram.observe(value, 'a');
    expect(histogram.write().split('\n').slice(2)).toEqual([
      'took_bucket{who="a",le="0.5"} 2',
      'took_bucket{who="a",le="1"} 3',
      'took_bucket{who="a",le="+Inf"} 4',
      'took_sum{who="a"} 5.5',
      'took_count{who="a"} 4',
      '',
    ]);
  });
});

describe('a gauge', () => {
  it('is looked at when it is written', () => {
    let level = 1;
    const gauge = createGauge({ name: 'level', help: 'Level.', labels: ['of'], read: () => [[level, 'x']] });
    level = 2;
    expect(gauge.write()).toBe('# HELP level Level.\n# TYPE level gauge\nlevel{of="x"} 2\n');
  });

  it('of the process tells its memory, its CPU and how late its loop is', () => {
    const text = createProcessFamilies()
      .map(({ write }) => write())
      .join('\n');
    const numberOf = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
    expect(numberOf('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(numberOf('process_cpu_user_seconds_total')).toBeGreaterThan(0);
    expect(numberOf('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0);
    expect(text).toContain('# TYPE process_cpu_user_seconds_total counter');
  });

  it('of the process forgets, once it was told, how late its loop has been', async () => {
    const families = createProcessFamilies();
    const told = () => {
      const text = families.map(({ write }) => write()).join('');
      return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)$/m.exec(text)?.[1]);
    };
    await wait(200);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000);
    await wait(200);
    expect(told()).toBeGreaterThan(1);
    await wait(200);
    expect(told()).toBeLessThan(1);
  });
});
