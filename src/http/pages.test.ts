/** What everybody may ask as often as they like: whether the service can serve. */
import fastify from 'fastify';
import { expect, it } from 'vitest';
import type { Metrics } from '../metrics.ts';
import { operations } from './pages.ts';

it('looks once for all who ask at once, and anew for the next', async () => {
  let looks = 0;
  const unready = async () => {
    const reason = ++looks === 1 ? 'stopping' : undefined;
    await new Promise(resolve => setImmediate(resolve));
    return reason;
  };
  const app = fastify();
  await app.register(operations({ metrics: {} as Metrics, unready }));
  const ask = () => app.inject('/health/ready');
  const first = await Promise.all(Array.from({ length: 20 }, ask));
  expect(first.map(({ statusCode }) => statusCode)).toEqual(Array(20).fill(503));
  expect([(await ask()).json(), looks]).toEqual([{ status: 'ready' }, 2]);
  await app.close();
});
