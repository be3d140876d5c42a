/** The guard: no URL that somebody else has chosen leads into our own network, however it is spelled. */
import { describe, expect, it } from 'vitest';
import { createGuard, type Guard, isPublic } from './guard.ts';

const PUBLIC = '93.184.215.14';

/** A guard whose names have these addresses. */
function guardOf(names: Record<string, string[]> = {}, allowedHosts: string[] = []): Guard {
  return createGuard({
    allowedHosts,
    async resolve(host) {
      const found = names[host];
      if (!found) throw new Error('ENOTFOUND');
      return found.map(address => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
}

const guard = guardOf({ 'hooks.example': [PUBLIC] });

/** URLs that must be refused without asking anybody. */
const REFUSED = {
  'not https': [
    'http://hooks.example/',
    'ftp://hooks.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'gopher://hooks.example/',
    'data:text/plain,x',
    'ws://hooks.example/',
    'HTTP://hooks.example/',
  ],
  'not a URL': [
    '',
    ' ',
    'hooks.example',
    '//hooks.example/',
    'https:',
    'https://',
    'https:///hooks.example',
    'https:hooks.example',
    'https:/hooks.example',
    'https:\\\\hooks.example',
    'https://hooks.example\\@127.0.0.1/',
    'https://hooks.example\\.evil',
    ' https://hooks.example/',
    'https://hooks.example/ ',
    'https://hooks.example/a b',
    'https://hooks\t.example/',
    'https://hooks.example/\r\nHost: x',
    'https://hooks.example/\u0000',
    'https://hööks.example/',
    'https://hooks.example/ü',
    'https://hooks。example/',
    'https://１２７.0.0.1/',
    'https://[::1',
    'https://256.256.256.256/',
    `https://hooks.example/${'a'.repeat(2_048)}`,
  ],
  'with a user, a password or a fragment': [
    'https://user@hooks.example/',
    'https://user:pass@hooks.example/',
    'https://:pass@hooks.example/',
    'https://@hooks.example/',
    'https://:@hooks.example/',
    'https://hooks.example:443@127.0.0.1/',
    'https://hooks.example/#',
    'https://hooks.example/a#b',
  ],
  'on another port': [
    'https://hooks.example:22/',
    'https://hooks.example:25/',
    'https://hooks.example:80/',
    'https://hooks.example:8080/',
    'https://hooks.example:5432/',
    'https://hooks.example:0/',
    'https://hooks.example:65535/',
  ],
  'of a name that is nobody’s on the internet': [
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://a.localhost/',
    'https://printer.local/',
    'https://metadata.google.internal/',
    'https://router.home.arpa/',
    'https://hooks.example./',
    'https://metadata/',
    'https://.example/',
    'https://hooks..example/',
  ],
  'of an address that is not public': [
    'https://127.0.0.1/',
    'https://127.0.0.1./',
    'https://127.255.255.254/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0x7f.0.0.1/',
    'https://0X7F.1/',
    'https://017700000001/',
    'https://0177.0.0.1/',
    'https://%31%32%37.0.0.1/',
    'https://0/',
    'https://0.0.0.0/',
    'https://0.1.2.3/',
    'https://10.0.0.1/',
    'https://10.255.255.255/',
    'https://172.16.0.1/',
    'https://172.31.255.255/',
    'https://192.168.0.1/',
    'https://3232235521/',
    'https://169.254.169.254/',
    'https://0xa9fea9fe/',
    'https://2852039166/',
    'https://0251.0376.0251.0376/',
    'https://100.64.0.1/',
    'https://100.127.255.255/',
    'https://100.100.100.200/',
    'https://192.0.0.1/',
    'https://192.0.0.192/',
    'https://192.0.2.1/',
    'https://198.51.100.1/',
    'https://203.0.113.1/',
    'https://198.18.0.1/',
    'https://198.19.255.255/',
    'https://192.88.99.1/',
    'https://224.0.0.1/',
    'https://239.255.255.255/',
    'https://240.0.0.1/',
    'https://255.255.255.255/',
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000:0000:0000:0000:0000:0000:0000:0001]/',
    'https://[::127.0.0.1]/',
    'https://[::7f00:1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:169.254.169.254]/',
    'https://[::ffff:93.184.215.14]/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[64:ff9b::127.0.0.1]/',
    'https://[64:ff9b::a9fe:a9fe]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[64:ff9b:1::5db8:d70e]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]/',
    'https://[fe80::1]/',
    'https://[febf::1]/',
    'https://[fe80::1%25eth0]/',
    'https://[fec0::1]/',
    'https://[ff02::1]/',
    'https://[2002:7f00:1::]/',
    'https://[2002:a9fe:a9fe::1]/',
    'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/',
    'https://[2001:db8::1]/',
    'https://[3fff::1]/',
    'https://[2001:2::1]/',
    'https://[2001:10::1]/',
    'https://[100::1]/',
    'https://[5f00::1]/',
    'https://[4000::1]/',
    'https://[::2]/',
  ],
};

describe('a URL', () => {
  describe.each(Object.entries(REFUSED))('%s', (_kind, urls) => {
    it.each(urls)('is refused: %j', async text => {
      expect(guard.read(text)).toEqual({ refused: expect.stringMatching(/^(must|has) /) });
      expect(await guard.locate(text)).toEqual({ refused: expect.any(String) });
    });
  });

  it.each([
    'https://hooks.example',
    'https://hooks.example/',
    'https://hooks.example:443/cloverleaf',
    'https://hooks.example:8443/a/b?c=d&e=f@g',
    'HTTPS://HOOKS.EXAMPLE/x',
    `https://hooks.example/${'a'.repeat(2_048 - 22)}`,
  ])('is taken: %s', async text => {
    expect(guard.read(text)).toBeInstanceOf(URL);
    expect(await guard.locate(text)).toEqual({
      url: new URL(text),
      addresses: [{ address: PUBLIC, family: 4 }],
    });
  });

  it('may be a public address itself, and then nobody is asked for it', async () => {
    for (const [text, address, family] of [
      [`https://${PUBLIC}/`, PUBLIC, 4],
      ['https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', '2606:2800:21f:cb07:6820:80da:af6b:8b2c', 6],
      ['https://[64:ff9b::5db8:d70e]/', '64:ff9b::5db8:d70e', 6],
    ] as const) {
      expect(await guardOf().locate(text)).toMatchObject({ addresses: [{ address, family }] });
    }
  });
});

describe('a name', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fd00::1',
    'fe80::1%eth0',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    'not an address',
    '0177.0.0.1',
  ])('that leads to %s is refused, alone or among public addresses', async address => {
    for (const addresses of [[address], [PUBLIC, address], [address, PUBLIC]]) {
      const found = await guardOf({ 'evil.example': addresses }).locate('https://evil.example/');
      expect(found).toEqual({ refused: expect.stringContaining('not on the public internet') });
      // A partner learns nothing of our network from the words.
      expect(JSON.stringify(found)).not.toContain(address);
    }
  });

  it('that has no address is refused', async () => {
    expect(await guard.locate('https://gone.example/')).toEqual({
      refused: 'has a host that cannot be found',
    });
    expect(await guardOf({ 'none.example': [] }).locate('https://none.example/')).toHaveProperty('refused');
  });

  it('is looked up again every time: an address that moved inside is refused', async () => {
    const names = { 'rebind.example': [PUBLIC] };
    const moving = guardOf(names);
    expect(await moving.locate('https://rebind.example/')).toHaveProperty('addresses');
    names['rebind.example'] = ['127.0.0.1'];
    expect(await moving.locate('https://rebind.example/')).toHaveProperty('refused');
  });

  it('with many addresses has all of them checked and a few of them given', async () => {
    const many = Array.from({ length: 40 }, (_, at) => `93.184.215.${at + 1}`);
    const found = await guardOf({ 'big.example': many }).locate('https://big.example/');
    expect(found).toMatchObject({ addresses: { length: 4 } });
    const last = await guardOf({ 'big.example': [...many, '10.0.0.1'] }).locate('https://big.example/');
    expect(last).toHaveProperty('refused');
  });

  it('is looked up by the system where nothing else is given', async () => {
    const own = createGuard({ allowedHosts: ['localhost'] });
    expect(await own.locate('http://localhost/')).toMatchObject({
      addresses: expect.arrayContaining([
        { address: expect.stringMatching(/^(127\.|::1)/), family: expect.any(Number) },
      ]),
    });
  });
});

describe('an allowed host', () => {
  const names = { 'hooks.internal': ['10.0.0.7'], 'HOOKS.INTERNAL': ['10.0.0.7'], worker: ['172.17.0.2'] };
  const own = guardOf(names, ['hooks.internal', 'worker:3000', '127.0.0.1:9000', '[::1]:9000', '10.1.1.1']);

  it.each([
    'http://hooks.internal/a',
    'https://hooks.internal/a',
    'http://hooks.internal:80/a',
    'https://hooks.internal:8443/',
    'HTTP://HOOKS.internal/',
    'http://worker:3000/x',
    'https://worker:3000/x',
    'http://127.0.0.1:9000/',
    'http://[::1]:9000/',
    'http://10.1.1.1/',
  ])('may be private and plain: %s', async text => {
    expect(await own.locate(text)).toHaveProperty('addresses');
  });

  it.each([
    'http://hooks.internal:22/',
    'http://hooks.internal:3000/',
    'http://worker/',
    'http://worker:3001/',
    'http://sub.hooks.internal/',
    'http://hooks.internal.evil.example/',
    'http://hooks.internal./',
    'http://127.0.0.1/',
    'http://127.0.0.1:9001/',
    'http://127.0.0.2:9000/',
    'http://[::1]/',
    'http://10.1.1.2/',
  ])('opens no other: %s', async text => {
    expect(await own.locate(text)).toHaveProperty('refused');
  });

  it.each(['http://user@hooks.internal/', 'http://hooks.internal/#x', 'ftp://hooks.internal/'])(
    'is held to the other rules: %s',
    text => {
      expect(own.read(text)).toHaveProperty('refused');
    },
  );
});

describe('an address', () => {
  it.each(['1.1.1.1', '8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450::1'])(
    '%s is public',
    address => expect(isPublic(address)).toBe(true),
  );

  it('in a notation that readers disagree about is not', () => {
    for (const address of [
      '010.8.8.8',
      '8.8.8',
      '134744072',
      '0x08.8.8.8',
      '8.8.8.8 ',
      '',
      '::ffff:8.8.8.8',
    ]) {
      expect([address, isPublic(address)]).toEqual([address, false]);
    }
  });
});
