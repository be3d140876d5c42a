/** The commands for openramp: what the conformance check finds in a ramp, and how it says so. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { Webhook } from 'standardwebhooks';
import { describe, expect, it, vi } from 'vitest';
import { CODE, JANE, OPENRAMP, PHONE, sandbox, setRamp, wind } from '../../test/openramp-alone.ts';
import { SETTINGS } from '../providers/openramp/standin-answers.ts';
import { check, openrampCommands } from './openramp.ts';

setRamp();

describe('cloverleaf openramp check', () => {
  const options = (more = {}) => ({
    key: SETTINGS.apiKey,
    pagesUrl: `${sandbox.url}/openramp/pages`,
    ...more,
  });
  const url = () => `${sandbox.url}/openramp/api`;

  async function run(more = {}): Promise<{ holds: boolean; wrong: string[]; said: string[] }> {
    const said: string[] = [];
    const wrong: string[] = [];
    const holds = await check(url(), options(more), ({ what, why }) => {
      said.push(what);
      if (why !== undefined) wrong.push(`${what}: ${why}`);
    });
    return { holds, wrong, said };
  }

  it('finds nothing wrong with the stand-in, walks its steps and hears its webhooks', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cloverleaf-check-'));
    const answers = join(folder, 'answers.json');
    writeFileSync(answers, JSON.stringify({ emailCode: CODE, identity: JANE, phoneCode: PHONE, files: {} }));
    const port = await freePort();
    sandbox.deliverTo(`http://127.0.0.1:${port}`, `http://127.0.0.1:${port}`);
    wind(Date.now());
    try {
      const webhookSecret = SETTINGS.webhookSecret;
      const { holds, wrong, said } = await run({ answers, webhookSecret, webhookPort: `${port}` });
      expect(wrong).toEqual([]);
      expect(holds).toBe(true);
      expect(said.length).toBeGreaterThan(20);
      expect(said.some(line => line.includes('form, iframe'))).toBe(true);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('says what is wrong with a key, with pages elsewhere, and with a ramp that is not there', async () => {
    const unknown = await run({ key: 'other' });
    expect(unknown.holds).toBe(false);
    expect(unknown.wrong[0]).toMatch(/GET \/catalog is as documented: answered 401/);
    const elsewhere = await run({ pagesUrl: 'https://pages.acme.example' });
    expect(elsewhere.wrong).toEqual([
      'POST /orders makes an order with a page: its page is not below https://pages.acme.example',
    ]);
    sandbox.fault(OPENRAMP, { kind: 'garbage', ms: 0 });
    expect((await run()).holds).toBe(false);
    sandbox.fault(OPENRAMP, { kind: 'none', ms: 0 });
  });

  it('says so when a webhook comes that is signed and not as documented', async () => {
    const port = await freePort();
    const tell = async () => {
      const [body, now] = ['{"status":"sold"}', new Date()];
      const headers = {
        'webhook-id': 'msg_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
        'webhook-signature': new Webhook(SETTINGS.webhookSecret).sign('msg_1', now, body),
      };
      return (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers })).status;
    };
    const told = vi.waitUntil(() => tell().catch(() => undefined), { timeout: 5_000 });
    const { wrong } = await run({
      webhookSecret: SETTINGS.webhookSecret,
      webhookPort: `${port}`,
      webhookUrl: 'http://127.0.0.1:9/',
    });
    expect(await told).toBe(204);
    expect(wrong).toEqual([expect.stringContaining('one came that is not as documented: ')]);
  });

  it('refuses a port that is none, or taken', async () => {
    const webhookSecret = SETTINGS.webhookSecret;
    const refusal = { kind: 'badInput', field: 'webhook-port' };
    for (const webhookPort of ['abc', '65536', '-1', new URL(sandbox.url).port])
      await expect(run({ webhookSecret, webhookPort })).rejects.toMatchObject(refusal);
  });
});

describe('the command', () => {
  it('takes the webhook secret from the environment too, where nobody else can read it', async () => {
    vi.stubEnv('OPENRAMP_WEBHOOK_SECRET', SETTINGS.webhookSecret);
    const program = new Command();
    openrampCommands(program);
    try {
      // Looked at only where webhooks are waited for.
      const words = ['openramp', 'check', `${sandbox.url}/openramp/api`, '--webhook-port', 'abc'];
      await expect(program.parseAsync(words, { from: 'user' })).rejects.toThrow('--webhook-port must be');
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('ends with 1 when something is not as documented, and prints a line for each check', async () => {
    const lines: string[] = [];
    const said = vi.spyOn(console, 'log').mockImplementation(line => void lines.push(line));
    const program = new Command();
    openrampCommands(program);
    try {
      const words = ['openramp', 'check', `${sandbox.url}/openramp/api`, '--key', 'other'];
      await program.parseAsync(words, { from: 'user' });
      expect(process.exitCode).toBe(1);
      expect(lines[0]).toMatch(/^not ok {2}GET \/catalog is as documented: answered 401/);
      expect(lines).toContain('ok      a wrong key is refused');
    } finally {
      process.exitCode = undefined;
      said.mockRestore();
    }
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, done));
  const { port } = server.address() as AddressInfo;
  await new Promise(done => server.close(done));
  return port;
}
