/** Steps and the origins that an account has registered: its own pages take them, whether they send its key or not. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../../src/app/accounts.ts';
import { eventually } from './patience.ts';
import { type StepClient, stepClient } from './steps-client.ts';
import { STEPPING } from './steps-provider.ts';
import { FIRST, IDENTITY, PNG, type StepScene, startStepScene } from './steps-scene.ts';

const SHOP = 'https://shop.example';
/** A page elsewhere, one in a sandbox, and one whose name is too long to be kept. */
const OTHERS = [
  'https://evil.example',
  'null',
  `https://${'evil.'.repeat(60)}example`,
  `${SHOP}.evil.example`,
];

let scene: StepScene;
/** With the account's key, and with none. */
let keyed: StepClient;
let keyless: StepClient;

beforeAll(async () => {
  scene = await startStepScene();
  const { service, shop } = scene;
  keyed = scene.client;
  keyless = stepClient(service.url, undefined);
  await allow(service.database, shop.publicKey, { origins: [SHOP], redirectHosts: [] });
  await eventually(
    async () => (await keyed.post(await first(), FIRST, { origin: 'https://evil.example' })).status === 403,
    'the origins are known',
  );
});
afterAll(() => scene.close());

const first = () => keyed.firstStep(STEPPING);

async function count(): Promise<number> {
  const { rows } = await sql<{ n: string }>`select count(*) as n from transactions`.execute(
    scene.service.database,
  );
  return Number(rows[0]?.n);
}

const READERS = ['access-control-allow-origin', 'access-control-allow-credentials'];
const readersOf = (headers: Headers) => READERS.map(name => headers.get(name));

describe('200', () => {
  it('for the account’s own pages, for ours, and for whoever is no page, with its key and without', async () => {
    for (const client of [keyed, keyless]) {
      for (const origin of [SHOP, scene.service.url, undefined]) {
        const headers: Record<string, string> = origin === undefined ? {} : { origin };
        const begun = await client.post(await first(), FIRST, headers);
        expect([origin, begun.status]).toEqual([origin, 200]);
        expect(readersOf(begun.headers)).toEqual(origin === undefined ? [null, null] : [origin, 'true']);
        expect((await client.post(begun.body, IDENTITY, headers)).status).toBe(200);
      }
    }
  });

  it('for any page where the account has registered none', async () => {
    const other = stepClient(scene.service.url, scene.other.publicKey);
    for (const origin of OTHERS) {
      const { status, headers } = await keyless.post(await other.firstStep(STEPPING), FIRST, { origin });
      expect([status, headers.get('access-control-allow-origin')]).toEqual([200, origin]);
    }
  });
});

describe('403', () => {
  it('for the first answer of any other page, which makes nothing and reads nothing', async () => {
    const before = await count();
    for (const client of [keyed, keyless]) {
      for (const origin of OTHERS) {
        const { status, body, headers } = await client.post(await first(), FIRST, { origin });
        expect([origin, status]).toEqual([origin, 403]);
        expect(body).toMatchObject({ message: 'This origin is not registered' });
        expect(readersOf(headers)).toEqual([null, null]);
        expect(headers.get('vary')).toContain('Origin');
      }
    }
    expect(await count()).toBe(before);
  });

  it('for a form, a file and a wait of an order that it has the address of', async () => {
    const form = await scene.begin();
    const file = await scene.reachStep('file');
    const wait = await scene.reachStep('wait');
    for (const [step, body] of [
      [form, IDENTITY],
      [file, PNG.toString('latin1')],
      [wait, {}],
    ] as const) {
      const reply = await keyless.post(step, body, { origin: 'https://evil.example' });
      expect([step.type, reply.status, readersOf(reply.headers)]).toEqual([step.type, 403, [null, null]]);
    }
    expect((await keyless.post(form, IDENTITY, { origin: SHOP })).status).toBe(200);
    expect((await keyless.put(file, PNG)).status).toBe(200);
  });

  it('for a step that was answered before, of which it learns nothing', async () => {
    const form = await scene.begin();
    await scene.takeStep(form);
    expect((await keyless.post(form, IDENTITY, { origin: 'https://evil.example' })).status).toBe(403);
    expect((await keyless.post(form, IDENTITY, { origin: SHOP })).status).toBe(409);
  });
});
