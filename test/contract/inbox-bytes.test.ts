/** Deliveries kept together: each has its own bytes again, whatever they are. */
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { Environment, ProviderId } from '../../src/domain/words.ts';
import { openDatabase } from '../../src/store/database.ts';
import { type Incoming, keepIncoming, takeIncoming } from '../../src/store/inbox.ts';
import { makeDatabase } from '../service.ts';

function incoming(headers: unknown, body: Buffer): Incoming {
  return {
    provider: 'moonpay' as ProviderId,
    environment: 'test' as Environment,
    digest: randomBytes(32),
    headers: JSON.stringify(headers),
    body,
  };
}

test('they are kept byte for byte, long and empty ones, text and none, and each of them once', async () => {
  const { url, drop } = await makeDatabase();
  onTestFinished(drop);
  const database = await openDatabase({ url });
  onTestFinished(() => database.destroy());
  const sent = [
    incoming({}, Buffer.alloc(0)),
    incoming({ name: 'Zoë 🌱 \\x00 \u0001' }, Buffer.from('{"name":"Zoë 🌱"}')),
    incoming({ quoted: '"{a,b}"' }, Buffer.from([0, 0xff, 0x5c, 0x22, 0x7b, 0])),
    incoming({ long: 'x'.repeat(9_000) }, randomBytes(256 * 1024)),
    incoming({}, Buffer.from('last')),
  ];
  await keepIncoming(database, [...sent, sent[1] as Incoming]);
  await keepIncoming(database, sent.slice(2));
  const kept = await takeIncoming(database, 10, ['moonpay:test']);
  const contentOf = ({ headers, body }: Pick<Incoming, 'headers' | 'body'>) =>
    `${headers} ${body.toString('base64')}`;
  expect(kept.map(contentOf).sort()).toEqual(sent.map(contentOf).sort());
});
