/** Webhooks are believed only when they are the service's: the same as the standard's own package says. */
import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import { verifyWebhook, type WebhookDelivered } from '../../client/src/webhook.ts';

const NOW = Date.UTC(2026, 0, 31, 12);
const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const ID = 'msg_01JGFJJZ00ABCDEFGHJKMNPQRS-3';
const BODY =
  '{"transactionId":"01JGFJJZ00ABCDEFGHJKMNPQRS","status":"completed","outAmount":0.123456789012345678}';

/** As the service sends it, at some moment, signed with some secrets. */
function deliver({ body = BODY, id = ID, at = NOW, secrets = [SECRET] } = {}): WebhookDelivered {
  const signatures = secrets.map(secret => new Webhook(secret).sign(id, new Date(at), body));
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at / 1_000)),
    'webhook-signature': signatures.join(' '),
    'x-cloverleaf-sequence': '3',
  };
  return { body, headers, secret: SECRET, now: NOW };
}

const unverified = expect.objectContaining({ name: 'CloverleafError', kind: 'unverified' });

describe('what the service signed', () => {
  it('is a transaction with its sequence and exact amounts', async () => {
    expect(await verifyWebhook(deliver())).toEqual({
      kind: 'transaction',
      id: ID,
      sequence: 3,
      transaction: {
        transactionId: '01JGFJJZ00ABCDEFGHJKMNPQRS',
        status: 'completed',
        outAmount: '0.123456789012345678',
      },
    });
  });

  it('is accepted from the bytes, from `Headers`, and with names in any case', async () => {
    const { body, headers, ...rest } = deliver();
    const plain = headers as Record<string, string>;
    const shouted = Object.fromEntries(
      Object.entries(plain).map(([name, value]) => [name.toUpperCase(), value]),
    );
    const bytes = new TextEncoder().encode(body as string);
    for (const kind of [plain, new Headers(plain), shouted, { ...plain, 'webhook-id': [ID] }])
      expect(await verifyWebhook({ ...rest, body: bytes, headers: kind })).toMatchObject({ id: ID });
  });

  it('is accepted from bytes of every kind', async () => {
    const bytes = new TextEncoder().encode(BODY);
    const within = new Uint8Array([0, ...bytes, 0]).subarray(1, -1);
    for (const body of [bytes.buffer, within, Buffer.from(BODY)])
      expect(await verifyWebhook({ ...deliver(), body })).toMatchObject({ id: ID, sequence: 3 });
  });

  it('is accepted while a secret is replaced, on either side', async () => {
    expect(await verifyWebhook(deliver({ secrets: [OTHER, SECRET] }))).toMatchObject({ id: ID });
    expect(await verifyWebhook({ ...deliver(), secret: [OTHER, SECRET] })).toMatchObject({ id: ID });
  });

  it('can be a test, or the earlier surface’s word of a purchase', async () => {
    const test = '{"type":"test","message":"hello"}';
    expect(await verifyWebhook(deliver({ body: test }))).toEqual({ kind: 'test', id: ID, message: 'hello' });
    const payload = {
      txId: 'a',
      timestamp: 1767225600123,
      outAmount: 0.5,
      partnerContext: { order: 7, limit: '8' },
    };
    const body = JSON.stringify({ type: 'transaction_completed', payload });
    expect(await verifyWebhook(deliver({ body }))).toEqual({
      kind: 'transactionCompleted',
      id: ID,
      payload: { ...payload, outAmount: '0.5' },
    });
  });

  it('may carry the older signature alone, where that is asked for', async () => {
    const signature = createHmac('sha256', SECRET).update(BODY).digest('hex');
    // Ids beside it are anybody's: they are not believed.
    const headers = { 'X-Onramper-Webhook-Signature': signature, 'webhook-id': ID };
    const older = { body: BODY, headers, secret: SECRET };
    expect(await verifyWebhook({ ...older, signature: 'hex' })).toMatchObject({
      kind: 'transaction',
      id: '',
    });
    await expect(verifyWebhook(older)).rejects.toEqual(unverified);
    await expect(verifyWebhook({ ...older, signature: 'hex', body: `${BODY} ` })).rejects.toEqual(unverified);
  });
});

describe('what is not accepted', () => {
  it.each<[string, Partial<WebhookDelivered>]>([
    ['another body', { body: `${BODY} ` }],
    ['another secret', { secret: OTHER }],
    ['no secret', { secret: '' }],
    ['no secrets', { secret: [] }],
    ['a secret that is not set', { secret: undefined as unknown as string }],
    ['a secret that is none', { secret: 'whsec_!' }],
    ['a moment too late', { now: NOW + 301_000 }],
    ['a moment too early', { now: NOW - 301_000 }],
    ['no headers', { headers: {} }],
  ])('%s', async (_, change) => {
    await expect(verifyWebhook({ ...deliver(), ...change })).rejects.toEqual(unverified);
  });

  it.each<[string, string, string | undefined]>([
    ['another id', 'webhook-id', 'msg_other-3'],
    ['another time', 'webhook-timestamp', String(NOW / 1_000 + 1)],
    ['a time that is none', 'webhook-timestamp', '1e9'],
    ['no signature', 'webhook-signature', undefined],
    ['an empty signature', 'webhook-signature', 'v1,'],
    ['a signature that is no base64', 'webhook-signature', 'v1,%%%'],
    ['a signature of another version', 'webhook-signature', `v2,${Buffer.alloc(32).toString('base64')}`],
  ])('%s', async (_, name, value) => {
    const delivered = deliver();
    const headers = { ...(delivered.headers as Record<string, string>), [name]: value };
    await expect(verifyWebhook({ ...delivered, headers })).rejects.toEqual(unverified);
  });

  it.each([[JSON.parse(BODY)], [null], [undefined], [new Date()]])(
    'a body that is not as it was received: %o',
    async body => {
      for (const signature of ['standard', 'hex'] as const)
        await expect(verifyWebhook({ ...deliver(), body, signature })).rejects.toMatchObject({
          name: 'CloverleafError',
          kind: 'badInput',
          field: 'body',
        });
    },
  );

  it.each(['{', 'null', '{"type":"transaction_completed"}'])(
    'what is signed, but nothing that the service says: %s',
    async body => {
      await expect(verifyWebhook(deliver({ body }))).rejects.toMatchObject({
        name: 'CloverleafError',
        kind: 'failed',
      });
    },
  );

  it('says nothing of what the signature should have been', async () => {
    const delivered = deliver({ secrets: [OTHER] });
    const error = await verifyWebhook(delivered).catch(caught => caught as Error);
    const right = new Webhook(SECRET).sign(ID, new Date(NOW), BODY).slice(3);
    expect(JSON.stringify([error, (error as Error).message])).not.toContain(right);
  });
});

it('judges like the standard’s package, whatever is sent', async () => {
  const choice = fc.record({
    body: fc.json(),
    id: fc.stringMatching(/^msg_[A-Za-z0-9]{1,20}-[1-9]$/),
    spoil: fc.constantFrom('nothing', 'body', 'signature', 'id'),
  });
  await fc.assert(
    fc.asyncProperty(choice, async ({ body, id, spoil }) => {
      const secret = `whsec_${randomBytes(32).toString('base64')}`;
      const now = Math.floor(Date.now() / 1_000) * 1_000;
      const delivered = deliver({ body, id, at: now, secrets: [secret] });
      const headers = { ...(delivered.headers as Record<string, string>) };
      if (spoil === 'id') headers['webhook-id'] = `${id}0`;
      if (spoil === 'signature')
        headers['webhook-signature'] = new Webhook(OTHER).sign(id, new Date(now), body);
      const sent = spoil === 'body' ? `${body} ` : body;
      const theirs = (() => {
        try {
          new Webhook(secret).verify(sent, headers);
          return true;
        } catch {
          return false;
        }
      })();
      const ours = await verifyWebhook({ body: sent, headers, secret, now }).then(
        () => true,
        error => (error as { kind: string }).kind !== 'unverified',
      );
      expect(ours).toBe(theirs);
      expect(ours).toBe(spoil === 'nothing');
    }),
    { numRuns: 60 },
  );
});
