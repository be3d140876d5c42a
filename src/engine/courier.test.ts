/** The courier, against real servers: signed as receivers expect, and bounded in time and size. */
import { createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it } from 'vitest';
import {
  BODY,
  closeSites,
  courierTo,
  type Got,
  letter,
  ok,
  SECRET,
  serve,
  serveBytes,
} from '../../test/courier-sites.ts';
import { createGuard } from './guard.ts';

closeSites();

const PREVIOUS = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;

describe('what is sent', () => {
  it('is the body byte by byte, to the very path, with the headers receivers know', async () => {
    const site = await serve(ok);
    const at = Date.now();
    const receipt = await courierTo(site.port, { now: () => at }).send(letter(site.port));
    expect(receipt).toEqual({
      accepted: true,
      status: 200,
      error: '',
      interrupted: false,
      milliseconds: expect.any(Number),
    });
    expect(site.got).toEqual([
      {
        method: 'POST',
        url: '/hooks?shop=1',
        body: BODY,
        headers: expect.objectContaining({
          host: `127.0.0.1:${site.port}`,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(BODY)),
          'user-agent': 'cloverleaf',
          'webhook-id': 'msg_01J-3',
          'webhook-timestamp': String(Math.floor(at / 1000)),
          'x-cloverleaf-sequence': '3',
        }),
      },
    ]);
  });

  it('is verified by the package receivers use, and refused when anything of it was altered', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port));
    const { body, headers } = site.got[0] as Got;
    const receiver = new Webhook(SECRET);
    expect(receiver.verify(body, headers)).toEqual(JSON.parse(BODY));
    expect(() => receiver.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => receiver.verify(body.replace('completed', 'failed'), headers)).toThrow(
      'No matching signature',
    );
    expect(() => receiver.verify(body, { ...headers, 'webhook-id': 'msg_01J-4' })).toThrow('No matching');
    const later = String(Number(headers['webhook-timestamp']) + 1);
    expect(() => receiver.verify(body, { ...headers, 'webhook-timestamp': later })).toThrow('No matching');
    expect(() => new Webhook(PREVIOUS).verify(body, headers)).toThrow('No matching signature');
  });

  it('carries for older receivers the hexadecimal signature of the body alone, by the secret as it was shown', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port));
    expect(site.got[0]?.headers['x-onramper-webhook-signature']).toBe(
      createHmac('sha256', SECRET).update(BODY).digest('hex'),
    );
  });

  it('is signed by both secrets while they change', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port, { secrets: [SECRET, PREVIOUS] }));
    const { body, headers } = site.got[0] as Got;
    for (const secret of [SECRET, PREVIOUS]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy();
    expect(headers['webhook-signature']).toMatch(/^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
    expect(headers['x-onramper-webhook-signature']).toBe(
      createHmac('sha256', SECRET).update(BODY).digest('hex'),
    );
  });

  it('names no sequence where there is none', async () => {
    const site = await serve(ok);
    await courierTo(site.port).send(letter(site.port, { sequence: undefined }));
    expect(site.got[0]?.headers).not.toHaveProperty('x-cloverleaf-sequence');
  });
});

describe('what comes of it', () => {
  it.each([200, 201, 202, 204, 299])('%i is accepted', async status => {
    const site = await serve(response => void response.writeHead(status).end());
    expect(await courierTo(site.port).send(letter(site.port))).toMatchObject({ accepted: true, status });
  });

  it.each([400, 401, 404, 410, 429, 500, 503])('%i is not', async status => {
    const site = await serve(response => void response.writeHead(status).end('a secret of theirs'));
    expect(await courierTo(site.port).send(letter(site.port))).toMatchObject({
      accepted: false,
      status,
      error: `answered ${status}`,
    });
  });

  it.each([301, 302, 303, 307, 308])('%i is not, and where it points is not called', async status => {
    const inner = await serve(ok);
    const site = await serve(
      response => void response.writeHead(status, { location: `http://127.0.0.1:${inner.port}/` }).end(),
    );
    const guard = createGuard({ allowedHosts: [`127.0.0.1:${site.port}`, `127.0.0.1:${inner.port}`] });
    expect(await courierTo(site.port, { guard }).send(letter(site.port))).toMatchObject({
      accepted: false,
      status,
      error: `answered ${status}: redirects are not followed`,
    });
    expect([site.got.length, inner.connections()]).toEqual([1, 0]);
  });

  it('an early hint is not an answer', async () => {
    const site = await serve(response => {
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      setTimeout(() => response.writeHead(503).end(), 5);
    });
    expect(await courierTo(site.port).send(letter(site.port))).toMatchObject({ status: 503 });
  });

  it('a server that is not there, hangs up or does not speak HTTP is a failure in a few words', async () => {
    const gone = await serve(ok);
    const { port: closed } = gone;
    await gone.close();
    expect(await courierTo(closed).send(letter(closed))).toMatchObject({
      accepted: false,
      status: undefined,
      error: 'no connection (ECONNREFUSED)',
    });
    const rudeness: [(socket: Socket) => void, string][] = [
      [socket => socket.destroy(), 'connection closed before an answer'],
      [
        socket => socket.end('SSH-2.0-OpenSSH_9.7 secret banner\r\n\r\n'),
        'the answer is malformed: not a response of HTTP',
      ],
    ];
    for (const [rude, words] of rudeness) {
      const port = await serveBytes(rude);
      const { accepted, status, error } = await courierTo(port).send(letter(port));
      expect([accepted, status, error]).toEqual([false, undefined, words]);
    }
  });
});

describe('limits', () => {
  it('a server that never answers is given up at the deadline', async () => {
    const site = await serve(() => {});
    const { accepted, status, error, milliseconds } = await courierTo(site.port, { deadlineMs: 100 }).send(
      letter(site.port),
    );
    expect([accepted, status, error]).toEqual([false, undefined, 'no answer within 100 ms']);
    expect(milliseconds).toBeGreaterThanOrEqual(95);
    expect(milliseconds).toBeLessThan(2_000);
  });

  it('a name that is never resolved is given up at the deadline', async () => {
    const guard = createGuard({ allowedHosts: [], resolve: () => new Promise(() => {}) });
    const courier = courierTo(1, { guard, deadlineMs: 50 });
    expect(await courier.send(letter(1, { url: 'https://slow.example/' }))).toMatchObject({
      error: 'no answer within 50 ms',
    });
  });

  it('an answer that drips for ever is cut at the deadline; its status counts', async () => {
    let closed = false;
    const site = await serve(response => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('.'), 5);
      response.on('close', () => {
        clearInterval(drip);
        closed = true;
      });
    });
    const receipt = await courierTo(site.port, { deadlineMs: 1_000 }).send(letter(site.port));
    expect(receipt).toMatchObject({ accepted: true, status: 200 });
    await expect.poll(() => closed).toBe(true);
  });

  it.each(['with its length', 'in chunks'])('an answer of 10 MB %s is cut', async how => {
    let written = 0;
    let closed = false;
    const chunk = Buffer.alloc(65_536, 97);
    const site = await serve(response => {
      response.writeHead(200, how === 'in chunks' ? {} : { 'content-length': String(160 * chunk.length) });
      const pour = () => {
        while (written < 160 * chunk.length && !closed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', pour);
        }
      };
      response.on('close', () => {
        closed = true;
      });
      pour();
    });
    const receipt = await courierTo(site.port).send(letter(site.port));
    expect(receipt).toMatchObject({ accepted: true, status: 200 });
    await expect.poll(() => closed).toBe(true);
    // What the kernel had taken in before we hung up.
    expect(written).toBeLessThan(160 * chunk.length);
  });

  it('what is under way is broken off when we stop, and nothing is sent after', async () => {
    const site = await serve(() => {});
    const courier = courierTo(site.port);
    const sending = courier.send(letter(site.port));
    await expect.poll(() => site.got.length).toBe(1);
    courier.interrupt();
    const broken = { accepted: false, status: undefined, interrupted: true };
    expect(await sending).toMatchObject(broken);
    expect(await courier.send(letter(site.port))).toMatchObject(broken);
    expect(site.got.length).toBe(1);
  });

  it('headers without end are cut', async () => {
    const port = await serveBytes(socket => {
      socket.write(`HTTP/1.1 200 OK\r\n${'X-A: aaaaaaaaaaaaaaaaaaaaaaaa\r\n'.repeat(2_000)}`);
    });
    expect(await courierTo(port).send(letter(port))).toMatchObject({
      accepted: false,
      error: 'the answer is malformed: not a response of HTTP',
    });
  });
});
