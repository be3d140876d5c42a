/** Steps that are asked for once too often, out of turn or all at once; and what the order's own page says of them. */
import { request } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFlowTokens } from '../../src/app/flow-tokens.ts';
import { eventually, untilAwaited } from './patience.ts';
import { type AnyStep, type StepClient, stepClient, tokenOf } from './steps-client.ts';
import type { StepProvider } from './steps-provider.ts';
import { IDENTITY, next, PNG, type StepScene, startStepScene } from './steps-scene.ts';
import { type Instance, MASTER_KEY } from './world.ts';
import { rowOf } from './world-orders.ts';

let scene: StepScene;
let provider: StepProvider;
let service: Instance;
let client: StepClient;

beforeAll(async () => {
  scene = await startStepScene();
  ({ provider, service, client } = scene);
});
afterAll(() => scene.close());

describe('a wait that is over', () => {
  it('says what came next, however often it is asked, and only whom it may', async () => {
    const wait = await scene.reachStep('wait');
    provider.pass();
    const frame = await scene.waited(wait);
    const before = provider.received.length;
    for (let ask = 0; ask < 3; ask++) expect(await next(client.post(wait, {}))).toEqual(frame);
    expect(provider.received.length).toBe(before);
    const stranger = stepClient(service.url, scene.other.publicKey);
    expect((await stranger.post(wait, {})).status).toBe(404);
    expect((await client.post({ url: wait.url.replace('/wait/', '/form/') }, {})).status).toBe(409);
  });

  it('says how the order ended', async () => {
    const wait = await scene.reachStep('wait');
    provider.pass();
    await scene.waited(wait);
    await scene.end(wait.txId, 'lost', 'failed');
    expect(await client.post(wait, {})).toMatchObject({ status: 410, body: { fatal: true } });
  });

  it('whose address an older version wrote is over then, and was good until then', async () => {
    const wait = await scene.reachStep('wait');
    const tokens = createFlowTokens(Buffer.from(MASTER_KEY, 'hex'));
    const place = tokens.read(tokenOf(wait));
    if (!place) throw new Error('the token is not ours');
    const older = { url: wait.url.replace(tokenOf(wait), tokens.tokenOf({ ...place, isWait: false })) };
    expect(await next(client.post(older, {}))).toEqual(wait);
    provider.pass();
    await scene.waited(wait);
    expect((await client.post(older, {})).status).toBe(409);
  });

  it('is not said to go on by whoever asked while it ended', async () => {
    const wait = await scene.reachStep('wait');
    const flow = sql`where transaction_id = ${wait.txId}`;
    await sql`update flows set leased_until = null ${flow}`.execute(service.database);
    let polled: Promise<AnyStep> | undefined;
    await service.database.transaction().execute(async trx => {
      await sql`update flows set turn = turn + 1 ${flow}`.execute(trx);
      polled = next(client.post(wait, {}));
      await untilAwaited(trx, service.database, 'the poll has read the flow, and waits for its turn');
    });
    const { url } = await polled;
    expect(url).not.toBe(wait.url);
    expect(await next(client.post({ url }, {}))).toMatchObject({ type: 'wait', url });
  });
});

describe('a step that is no wait', () => {
  it('is not taken for one', async () => {
    const form = await scene.begin();
    expect((await client.post(asWait(form), {})).status).toBe(404);
  });

  it('does not lead on once it was answered, either', async () => {
    const form = await scene.begin();
    const code = await scene.takeStep(form);
    const [file] = (await scene.takeStep(code)).options;
    const selfie = await next(client.put(file, PNG));
    const wait = await next(client.put(selfie, PNG));
    for (const past of [form, code, file, selfie])
      expect((await client.post(asWait(past), {})).status).toBe(409);
    expect(await next(client.post(wait, {}))).toMatchObject({ type: 'wait' });
    await scene.end(wait.txId, 'done', 'completed');
    for (const past of [form, file]) expect((await client.post(asWait(past), {})).status).toBe(409);
  });

  const asWait = ({ url }: AnyStep) => ({ url: url.replace(/\/(form|file)\//, '/wait/') });
});

describe('a field that was left out', () => {
  it('is named when the provider wants it, and nothing that the step does not ask is', async () => {
    const form = await scene.begin();
    const object = async (wrong: string) => {
      provider.answerOnce(200, { wrong });
      return (await client.post(form, IDENTITY)).body;
    };
    expect(await object('state')).toEqual({ message: 'It is not that.', field: 'state' });
    expect(await object('walletPassword')).toEqual({ message: 'It is not that.' });
  });
});

describe('the page of an order by steps', () => {
  it('does not call it lapsed once the person is with the provider, and asks what became of it when they are done', async () => {
    const redirect = await scene.reachStep('redirect');
    const { txId } = redirect;
    expect(await rowOf(service, txId)).toMatchObject({ visited_at: expect.any(Date) });
    await sql`update tasks set due_at = now() + interval '1 day' where key = ${txId}`.execute(
      service.database,
    );
    provider.say(txId, 'done');
    const done = await scene.takeStep(redirect);
    const page = new URL(done.trackingUrl).pathname;
    await sql`update transactions set expires_at = now() where id = ${txId}`.execute(service.database);
    expect((await service.get(`${page}/state`)).body.texts.title).not.toContain('expired');
    await eventually(
      async () => (await service.get(`${page}/state`)).body.status === 'completed',
      'the provider is asked at once',
    );
  });

  it('waits for the person where the provider’s page is all there is', async () => {
    provider.onlyPages = true;
    try {
      const { txId } = await scene.begin();
      expect(await rowOf(service, txId)).toMatchObject({ ready: true, visited_at: null });
    } finally {
      provider.onlyPages = false;
    }
  });
});

describe('files', () => {
  /** Begins to send a file that never comes; its answer, should there be one. */
  function beginFile({ url }: { url: string }): { answered: Promise<number | undefined>; drop(): void } {
    const upload = request(url, { method: 'PUT', headers: { 'content-length': 1_000_000 } });
    const answered = new Promise<number | undefined>(resolve => {
      upload.on('response', ({ statusCode }) => resolve(statusCode));
      upload.on('error', () => resolve(undefined));
    });
    upload.write(PNG);
    return { answered, drop: () => upload.destroy() };
  }

  it('are sent for one order two at a time, and for others meanwhile', async () => {
    const [file, another] = [await scene.reachStep('file'), await scene.reachStep('file')];
    const slow = [beginFile(file), beginFile(file)];
    await eventually(async () => (await beginAndDrop(file)) === 429, 'both are under way');
    expect((await client.put(another, PNG)).status).toBe(200);
    for (const { drop } of slow) drop();
    await eventually(async () => (await client.put(file, PNG)).status === 200, 'there is room again');
  });

  it('are refused before they are read where none is due', async () => {
    const file = await scene.reachStep('file');
    const form = await scene.begin();
    await scene.takeStep(file);
    expect(await beginFile(file).answered).toBe(409);
    expect(await beginFile({ url: form.url.replace('/form/', '/file/') }).answered).toBe(404);
  });

  /** What is said to one more, or nothing while it is taken. */
  async function beginAndDrop(step: AnyStep): Promise<number | undefined> {
    const { answered, drop } = beginFile(step);
    setTimeout(drop, 500);
    return answered;
  }
});
