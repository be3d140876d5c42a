/** Where the courier goes, against real servers: to the address that was checked, by the name that was given, and never astray. */
import { createServer as createSecureServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import { selfSigned } from '../../test/certificate.ts';
import { closeSites, courierTo, letter, ok, serve, serveBytes } from '../../test/courier-sites.ts';
import { createGuard, type Guard } from './guard.ts';

closeSites();

describe('where it goes', () => {
  /** A guard that allows a name at a port, and gives it these addresses, one list per question. */
  function named(host: string, port: number, answers: string[][], allowed = true) {
    let asked = 0;
    const guard = createGuard({
      allowedHosts: allowed ? [`${host}:${port}`] : [],
      async resolve() {
        const addresses = answers[Math.min(asked++, answers.length - 1)] ?? [];
        return addresses.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
      },
    });
    return { guard, asked: () => asked };
  }

  it('the checked address is connected to, asked for once per attempt, and the name stays in the Host header', async () => {
    const site = await serve(ok);
    const { guard, asked } = named('hooks.internal', site.port, [['127.0.0.1']]);
    const courier = courierTo(site.port, { guard });
    const url = `http://hooks.internal:${site.port}/x`;
    // Nobody else could have told where this name lives.
    for (let count = 1; count <= 3; count++) {
      expect(await courier.send(letter(site.port, { url }))).toMatchObject({ accepted: true });
      expect(asked()).toBe(count);
    }
    expect(site.got.map(({ headers }) => headers.host)).toEqual(Array(3).fill(`hooks.internal:${site.port}`));
  });

  it('a connection is kept for the next event to the same address', async () => {
    const site = await serve(ok);
    const courier = courierTo(site.port);
    for (let count = 0; count < 5; count++) await courier.send(letter(site.port));
    expect(site.got.length).toBe(5);
    // Two when an event comes before the answer to the one before it is quite done with.
    expect(site.connections()).toBeLessThanOrEqual(2);
  });

  it('another address of the host is tried when the first does not answer', async () => {
    const site = await serve(ok);
    const { guard } = named('hooks.internal', site.port, [['127.0.0.9', '127.0.0.1']]);
    const courier = courierTo(site.port, { guard });
    const url = `http://hooks.internal:${site.port}/x`;
    expect(await courier.send(letter(site.port, { url }))).toMatchObject({ accepted: true });
  });

  it('a name that moves to a private address is refused, with a connection still open and without', async () => {
    const site = await serve(ok);
    const url = `https://rebind.example:8443/`;
    const { guard } = named('rebind.example', 8443, [['127.0.0.1']], false);
    expect(await courierTo(site.port, { guard }).send(letter(site.port, { url }))).toEqual({
      accepted: false,
      status: undefined,
      error: 'the URL has a host whose address is not on the public internet',
      interrupted: false,
      milliseconds: expect.any(Number),
    });
    expect(site.connections()).toBe(0);

    // The operator takes a host off the list, or its name begins to lead elsewhere: what is open is not used.
    let refused = false;
    const open = createGuard({ allowedHosts: [`127.0.0.1:${site.port}`] });
    const changing: Guard = {
      read: open.read,
      locate: async text => (refused ? { refused: 'is not allowed any more' } : open.locate(text)),
    };
    const courier = courierTo(site.port, { guard: changing });
    expect(await courier.send(letter(site.port))).toMatchObject({ accepted: true });
    refused = true;
    expect(await courier.send(letter(site.port))).toMatchObject({ accepted: false, status: undefined });
    expect(site.got.length).toBe(1);
  });

  it('a URL that the guard refuses is not connected to', async () => {
    const site = await serve(ok);
    const courier = courierTo(1);
    for (const url of [
      `http://127.0.0.1:${site.port}/`,
      `https://127.0.0.1:${site.port}/`,
      `https://localhost:${site.port}/`,
      `https://[::ffff:127.0.0.1]:${site.port}/`,
      `https://2130706433:${site.port}/`,
    ]) {
      expect(await courier.send(letter(site.port, { url }))).toMatchObject({
        error: expect.stringMatching(/^the URL must/),
      });
    }
    expect(site.connections()).toBe(0);
  });

  it('TLS names the host, though the connection goes to its address', async () => {
    const seen: string[] = [];
    const port = await serveBytes(socket => {
      socket.once('data', hello => {
        seen.push(hello.toString('latin1'));
        socket.destroy();
      });
    });
    const { guard } = named('hooks.internal', port, [['127.0.0.1']]);
    await courierTo(port, { guard }).send(letter(port, { url: `https://hooks.internal:${port}/` }));
    expect(seen).toEqual([expect.stringContaining('hooks.internal')]);
  });

  it('a certificate nobody vouches for is refused, and so is a server without TLS', async () => {
    const site = await serve(ok, listener => createSecureServer(selfSigned('127.0.0.1'), listener));
    expect(
      await courierTo(site.port).send(letter(site.port, { url: `https://127.0.0.1:${site.port}/` })),
    ).toMatchObject({
      accepted: false,
      status: undefined,
      error: expect.stringMatching(/\((DEPTH_ZERO_)?SELF_SIGNED_CERT.*\)$/),
    });
    const plain = await serve(ok);
    const answer = await courierTo(plain.port).send(
      letter(plain.port, { url: `https://127.0.0.1:${plain.port}/` }),
    );
    expect(answer).toMatchObject({
      accepted: false,
      error: expect.stringMatching(/^no connection \(E/),
    });
    expect([site.got, plain.got]).toEqual([[], []]);
  });
});
