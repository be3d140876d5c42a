/** Configuration: every variable with good and bad values; a bad one is named, and no secret is repeated. */
import { isAbsolute, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, ConfigFault, hostInUrl, readConfig } from './config.ts';

const KEY = '0f'.repeat(32);

describe('defaults', () => {
  it('run the sandbox on this machine only, with nothing set', () => {
    expect(readConfig({})).toEqual({
      host: '127.0.0.1',
      port: 8080,
      publicUrl: undefined,
      publicLegacyUrl: undefined,
      legacyPath: '/legacy',
      dataDir: resolve('data'),
      databaseUrl: undefined,
      databasePatienceMs: 600,
      masterKey: undefined,
      quoteDeadlineMs: 2_000,
      rateLimitPerKey: 500,
      rateLimitPerAddress: 100,
      quotesAtOnce: 1_000,
      mostDelayMs: 250,
      trustedProxies: [],
      stopNoticeMs: 1_000,
      webhookAllowedHosts: [],
      defaultCountry: 'DE',
      sandbox: true,
      anonymous: true,
      logLevel: 'info',
    });
  });

  it('hold for variables that are set to nothing', () => {
    const names = 'HOST PORT PUBLIC_URL PUBLIC_LEGACY_URL DATA_DIR DATABASE_URL MASTER_KEY QUOTE_DEADLINE_MS';
    const limits = 'RATE_LIMIT_PER_KEY RATE_LIMIT_PER_ADDRESS QUOTES_AT_ONCE MOST_DELAY_MS';
    const patience = 'DATABASE_PATIENCE_MS STOP_NOTICE_MS';
    const more = 'TRUSTED_PROXIES WEBHOOK_ALLOWED_HOSTS DEFAULT_COUNTRY SANDBOX ANONYMOUS LOG_LEVEL';
    const empty = Object.fromEntries(
      `${names} ${limits} ${patience} ${more}`.split(' ').map(name => [name, '']),
    );
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('guess no country without the sandbox', () => {
    expect(readConfig({ SANDBOX: 'off' }).defaultCountry).toBeUndefined();
    expect(readConfig({ SANDBOX: 'off', DEFAULT_COUNTRY: 'fr' }).defaultCountry).toBe('FR');
  });

  it('have the earlier surface where a proxy that serves both at one address leaves it', () => {
    const env = { PUBLIC_URL: 'https://ramp.example/api', PUBLIC_LEGACY_URL: 'https://ramp.example/api/old' };
    expect(readConfig(env).legacyPath).toBe('/old');
    expect(readConfig({ ...env, PUBLIC_LEGACY_URL: 'https://ramp.example/apis/old' }).legacyPath).toBe(
      '/apis/old',
    );
    for (const same of ['https://ramp.example/api', 'https://ramp.example/api/'])
      expect(readConfig({ ...env, PUBLIC_LEGACY_URL: same }).legacyPath).toBe('');
  });

  it('are frozen', () => {
    const config = readConfig({}) as { -readonly [K in keyof Config]: Config[K] };
    expect(Object.isFrozen(config)).toBe(true);
    expect(() => {
      config.port = 1;
    }).toThrow(TypeError);
  });
});

describe('good values', () => {
  it.each<[string, string, keyof Config, unknown]>([
    ['HOST', '0.0.0.0', 'host', '0.0.0.0'],
    ['HOST', '::', 'host', '::'],
    ['PORT', '0', 'port', 0],
    ['PORT', '65534', 'port', 65_534],
    ['PUBLIC_URL', 'https://ramp.example/', 'publicUrl', 'https://ramp.example'],
    ['PUBLIC_URL', 'http://127.0.0.1:8080', 'publicUrl', 'http://127.0.0.1:8080'],
    ['PUBLIC_URL', 'https://ramp.example/api', 'publicUrl', 'https://ramp.example/api'],
    ['PUBLIC_LEGACY_URL', 'https://ramp.example/legacy', 'publicLegacyUrl', 'https://ramp.example/legacy'],
    ['PUBLIC_LEGACY_URL', 'https://ramp.example/legacy/', 'publicLegacyUrl', 'https://ramp.example/legacy'],
    ['PUBLIC_LEGACY_URL', 'https://ramp.example/v1/old', 'legacyPath', '/v1/old'],
    ['PUBLIC_LEGACY_URL', 'https://old.example', 'legacyPath', ''],
    ['DATABASE_URL', 'postgres://u:p@db/x', 'databaseUrl', 'postgres://u:p@db/x'],
    ['DATABASE_URL', 'postgresql:///x?host=/run', 'databaseUrl', 'postgresql:///x?host=/run'],
    ['DATABASE_URL', 'postgres://u:p@/x?host=/run', 'databaseUrl', 'postgres://u:p@/x?host=/run'],
    ['DATABASE_URL', 'postgres://u:p%23@[::1]:5432/x', 'databaseUrl', 'postgres://u:p%23@[::1]:5432/x'],
    ['MASTER_KEY', KEY, 'masterKey', Buffer.from(KEY, 'hex')],
    ['MASTER_KEY', KEY.toUpperCase(), 'masterKey', Buffer.from(KEY, 'hex')],
    ['MASTER_KEY', Buffer.from(KEY, 'hex').toString('base64'), 'masterKey', Buffer.from(KEY, 'hex')],
    ['DATABASE_PATIENCE_MS', '5000', 'databasePatienceMs', 5_000],
    ['QUOTE_DEADLINE_MS', '50', 'quoteDeadlineMs', 50],
    ['QUOTE_DEADLINE_MS', '30000', 'quoteDeadlineMs', 30_000],
    ['RATE_LIMIT_PER_KEY', '0', 'rateLimitPerKey', 0],
    ['RATE_LIMIT_PER_KEY', '1000000', 'rateLimitPerKey', 1_000_000],
    ['RATE_LIMIT_PER_ADDRESS', '7', 'rateLimitPerAddress', 7],
    ['QUOTES_AT_ONCE', '100000', 'quotesAtOnce', 100_000],
    ['MOST_DELAY_MS', '0', 'mostDelayMs', 0],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/8, 192.0.2.1,::1 , 2001:db8::/32',
      'trustedProxies',
      ['10.0.0.0/8', '192.0.2.1/32', '::1/128', '2001:db8::/32'],
    ],
    [
      'TRUSTED_PROXIES',
      '::ffff:127.0.0.1,::ffff:10.0.0.0/104, ::FFFF:c000:201/128',
      'trustedProxies',
      ['127.0.0.1/32', '10.0.0.0/8', '192.0.2.1/32'],
    ],
    [
      'WEBHOOK_ALLOWED_HOSTS',
      'hooks.internal, Worker:3000,10.0.0.7 , 127.0.0.1:09000,[::1]:8080,[fd00::7]',
      'webhookAllowedHosts',
      ['hooks.internal', 'worker:3000', '10.0.0.7', '127.0.0.1:9000', '[::1]:8080', '[fd00::7]'],
    ],
    ['DEFAULT_COUNTRY', 'gb', 'defaultCountry', 'GB'],
    ['SANDBOX', 'off', 'sandbox', false],
    ['SANDBOX', 'TRUE', 'sandbox', true],
    ['ANONYMOUS', '0', 'anonymous', false],
    ['ANONYMOUS', 'On', 'anonymous', true],
    ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ])('%s=%s is taken', (name, value, key, expected) => {
    expect(readConfig({ [name]: value })[key]).toEqual(expected);
  });

  it('DATA_DIR becomes absolute', () => {
    const { dataDir } = readConfig({ DATA_DIR: 'some/where' });
    expect([isAbsolute(dataDir), dataDir.endsWith('/some/where')]).toEqual([true, true]);
  });

  it('variables of others are ignored', () => {
    expect(readConfig({ PATH: '/bin', port: '1', Port: '2', __proto__: 'x' })).toEqual(readConfig({}));
  });
});

describe('bad values', () => {
  it.each([
    ...['-1', '65535', '65536', '1.5', '80 ', ' 80', '0x50', '1e3', 'http', '９', '99999999999'].map(v => [
      'PORT',
      v,
    ]),
    ...['99', '30001', '0', '-5', '2s'].map(v => ['DATABASE_PATIENCE_MS', v]),
    ...['49', '30001', '0', '-5', '2s', 'Infinity'].map(v => ['QUOTE_DEADLINE_MS', v]),
    ...['-1', '1000001', '0.5', '100/s', 'off', '1e3'].flatMap(v => [
      ['RATE_LIMIT_PER_KEY', v],
      ['RATE_LIMIT_PER_ADDRESS', v],
    ]),
    ...['-1', '100001', 'many'].map(v => ['QUOTES_AT_ONCE', v]),
    ...['-1', '60001', '250ms'].map(v => ['MOST_DELAY_MS', v]),
    ...[
      'ramp.example',
      '//ramp.example',
      'ftp://ramp.example',
      'javascript:alert(1)',
      'https://',
      'http://[',
    ].map(v => ['PUBLIC_URL', v]),
    ...['https://ramp.example/?a=b', 'https://ramp.example/#x', 'https://user@ramp.example'].map(v => [
      'PUBLIC_URL',
      v,
    ]),
    ...['ramp.example/legacy', '/legacy', 'https://ramp.example/a%2fb', 'https://ramp.example/:a'].map(v => [
      'PUBLIC_LEGACY_URL',
      v,
    ]),
    ...['mysql://u:hunter2@db/x', 'u:hunter2@db', ' postgres://u:hunter2@db'].map(v => ['DATABASE_URL', v]),
    // Cut off where the password has a sign of its own: what is left of it may even be a port.
    ...['u:hunter#2@db/x', 'u:12#34@db/x', 'u:hunter/2@db/x', 'u:p@db:99999/x', 'u:p@db x/y'].map(v => [
      'DATABASE_URL',
      `postgres://${v}`,
    ]),
    ...['short', 'ab'.repeat(31), 'ab'.repeat(33), 'zz'.repeat(32)].map(v => ['MASTER_KEY', v]),
    // Decodes to 32 bytes if one overlooks what is not base64.
    ['MASTER_KEY', `correct horse, battery staple! ${'a'.repeat(18)}`],
    ...[
      'localhost',
      '10.0.0.0/33',
      '10.0.0',
      '300.0.0.1',
      '10.0.0.1-5',
      '*',
      'fe80::/129',
      '10/8',
      '0x0a000001',
      '::ffff:10.0.0.0/95',
      '::ffff:10.0.0.0/8',
    ].map(v => ['TRUSTED_PROXIES', v]),
    ...[
      '*',
      '*.internal',
      'http://hooks.internal',
      'hooks.internal/path',
      'hooks.internal.',
      'user@hooks.internal',
      'hooks.internal:0',
      'hooks.internal:65536',
      'hooks.internal:',
      'hooks internal',
      '10.0.0.0/8',
      '0x7f.1',
      '127.1',
      '2130706433',
      '::1',
      '[::0001]',
      '[::1',
      'höoks.internal',
    ].map(v => ['WEBHOOK_ALLOWED_HOSTS', v]),
    ...['D', 'DEU', '49', 'D1', 'ＤＥ', 'de '].map(v => ['DEFAULT_COUNTRY', v]),
    ...['yes', 'no', '2', 'enabled', ' on'].flatMap(v => [
      ['SANDBOX', v],
      ['ANONYMOUS', v],
    ]),
    ...['verbose', 'INFO', '30', 'toString'].map(v => ['LOG_LEVEL', v]),
  ] as [string, string][])('%s=%s is refused by name, in one line', (name, value) => {
    const read = () => readConfig({ [name]: value });
    expect(read).toThrow(ConfigFault);
    expect(read).toThrow(new RegExp(`^${name} must [^\\n]+$`));
  });

  it('never repeat what may hold a password or a key', () => {
    const secrets = [
      ['DATABASE_URL', 'mysql://root:hunter2@db/x'],
      ['DATABASE_URL', 'postgres://root:hunter2#@db/x'],
      ['MASTER_KEY', 'hunter2hunter2'],
    ] as const;
    for (const [name, value] of secrets) {
      let message = '';
      try {
        readConfig({ [name]: value });
      } catch (error) {
        message = `${(error as Error).message} ${(error as Error).stack}`;
      }
      expect(message).toContain(name);
      expect(message).not.toContain('hunter2');
    }
  });

  it('of a public URL that holds a password are not repeated either', () => {
    expect(() => readConfig({ PUBLIC_URL: 'https://admin:hunter2@ramp.example' })).toThrow(
      /^PUBLIC_URL (?!.*hunter2)/,
    );
  });
});

describe('the host in a URL', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['ramp.example', 'ramp.example'],
    ['::1', '[::1]'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
  ])('for %s is %s', (host, expected) => {
    expect(hostInUrl(host)).toBe(expected);
  });
});
