/** Pages: everything is shown, and nothing that is shown can do anything. */
import { describe, expect, it } from 'vitest';
import { currencies, exampleSale, exampleView } from '../../../test/browser/pay-world.ts';
import type { PayView } from '../../app/pay.ts';
import { type PageOptions, payPage, returnPage, troublePage } from './page.ts';
import { speechOf } from './speech.ts';
import { stateOf } from './state.ts';

const OPTIONS: PageOptions = {
  base: '',
  path: '/pay/t1',
  origin: 'https://ramp.example',
  nonce: 'n0nce',
  asset: name => `/pay/assets/${name}?v=1`,
  query: '',
  speech: speechOf('en'),
  currencies,
};

const render = (view: PayView) =>
  payPage(view, stateOf(view, { now: Date.now(), speech: OPTIONS.speech, currencies }), OPTIONS);

/** The text of a page, as a browser would have it. */
function textOf(page: string): string {
  return page
    .replace(/<style[\s\S]*?<\/style>/g, '')
    .replace(/<wbr>|<\/?(span|code)[^>]*>/g, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ');
}

describe('the pay page', () => {
  it('says what is bought, for how much, where it goes and through whom', () => {
    const text = textOf(render(exampleView({ walletMemo: '12345678' })));
    for (const said of [
      'Buy BTC',
      'with MoonPay',
      'You pay 100.00 EUR',
      'You receive 0.00163465 BTC',
      'MoonPay’s fee 3.99 EUR',
      'Network fee 1.20 EUR',
      'Buys BTC for 94.81 EUR',
      'Rate 1 BTC ≈ 58,000.184 EUR',
      'Payment method Credit Card',
      'Network Bitcoin',
      'Provider MoonPay',
      'Reference 01JCQ5V8R1W0M2T3N4P5Q6R7S8',
      'Goes to this wallet bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh',
      'Memo or tag 12345678',
      'Prices are MoonPay’s estimate.',
      'Continue with MoonPay',
    ]) {
      expect(text).toContain(said);
    }
  });

  it('says of a sale how much to send where', () => {
    const page = render(
      exampleSale({ opened: true, deposit: { address: '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy', memo: '77' } }),
    );
    const text = textOf(page);
    for (const said of [
      'Sell BTC',
      'You sell 0.05 BTC',
      'BTC sold for 2,900.00 EUR',
      'Exact amount in BTC 0.05',
      'Address on Bitcoin 3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'Memo or tag (needed) 77',
      'Send only BTC, and only on Bitcoin.',
      'Comes back to, should the sale fail bc1q',
    ]) {
      expect(text).toContain(said);
    }
    expect(page).toMatch(/<img id="deposit-picture"[^>]* src="data:image\/svg\+xml;base64,/);
  });

  it('works without script: a form that leads to the provider, and one that starts over', () => {
    expect(render(exampleView())).toContain('<form id="open" method="post" action="/pay/t1/open">');
    const failed = render(exampleView({ status: 'failed' }));
    expect(failed).toContain('<form id="again" method="post" action="/pay/t1/again">');
    expect(failed).toContain('<form id="open" method="post" action="/pay/t1/open" hidden>');
  });

  it('speaks of what was ordered, not of what is to come, once it came to nothing', () => {
    const ordered = [
      'Was to be paid 100.00 EUR',
      'Was to be received 0.00163465 BTC',
      'MoonPay’s fee, as quoted 3.99 EUR',
      'Value of the BTC 94.81 EUR',
      'Was to go to this wallet bc1q',
    ];
    for (const status of ['failed', 'canceled', 'expired'] as const) {
      const page = render(exampleView({ status, opened: true }));
      for (const said of ordered) expect(textOf(page)).toContain(said);
      expect(textOf(page)).not.toMatch(/You (pay|get)|Goes to|Buys BTC/);
      expect(page).toContain('<main id="pay" class="moot"');
    }
    const refunded = render(exampleView({ status: 'refunded', opened: true }));
    expect(textOf(refunded)).toContain('Returned 100.00 EUR');
    for (const said of ordered.slice(1)) expect(textOf(refunded)).toContain(said);
    expect(refunded).toContain('<main id="pay" class="moot"');
    expect(render(exampleView({ status: 'completed' }))).toContain('<main id="pay" data-status="completed"');
  });

  it('says whose hash it is', () => {
    const known = { status: 'refunded', opened: true, hash: 'f4184fc5' } as const;
    expect(textOf(render(exampleView(known)))).toContain('Transaction hash f4184fc5');
    expect(textOf(render(exampleSale(known)))).toContain('Hash of the coins you sent f4184fc5');
    expect(textOf(render(exampleSale(known)))).not.toContain('Transaction hash');
  });

  it('leads back to the shop when it is over, by its host', () => {
    const returnTo = 'https://shop.example/thanks?order=1&x="';
    expect(render(exampleView({ returnTo }))).toMatch(/<a id="back"[^>]* hidden>/);
    expect(render(exampleView({ returnTo, status: 'completed' }))).toContain(
      '<a id="back" class="button" href="https://shop.example/thanks?order=1&amp;x=%22" target="_top">Back to shop.example</a>',
    );
  });

  it.each([
    'javascript:alert(1)',
    'data:text/html,x',
    'https://user:pass@shop.example',
    '//shop.example',
    '/x',
    'nonsense',
  ])('leads nowhere for %s', returnTo => {
    expect(render(exampleView({ returnTo, status: 'completed' }))).not.toContain('id="back"');
  });

  it('copies the very characters, whatever they are', () => {
    const page = render(exampleView({ walletMemo: 'a"b\u202E<c>' }));
    expect(page).toContain('data-copy="a&quot;b\u202E&lt;c&gt;"');
    expect(textOf(page)).toContain('Memo or tag a"b\uFFFD<c>');
  });

  it('offers to leave the frame to those who pay with a wallet', () => {
    expect(render(exampleView({ method: 'applepay' }))).toContain('Apple Pay may be missing inside a page');
    expect(render(exampleView({ method: 'Google Pay' }))).toContain('Google Pay may be missing');
    expect(render(exampleView({ method: 'applepay', opens: 'redirect' }))).not.toContain('may be missing');
  });
});

/** Texts that would do something if they were not texts. */
const NASTY = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</main></body></html><script>x</script>',
  '--><svg onload=alert(1)>',
  '</style><script>x</script>',
  '{{alert(1)}}',
  '&lt;script&gt;',
  'moc.elpmaxe\u202E\u2066',
];

/** Every field of a view that is text, set to a text. */
const FIELDS: Record<string, (text: string) => Partial<PayView>> = {
  transactionId: transactionId => ({ transactionId }),
  'provider.id': id => ({ provider: { id, name: 'x' } }),
  'provider.name': name => ({ provider: { id: 'x', name } }),
  'pays.code': code => ({ pays: { ...exampleView().pays, code } }),
  'gets.code': code => ({ gets: { ...exampleView().gets, code } }),
  'networkFee.code': code => ({ networkFee: { ...exampleView().networkFee, code } }),
  'providerFee.code': code => ({ providerFee: { ...exampleView().providerFee, code } }),
  network: network => ({ network }),
  walletAddress: walletAddress => ({ walletAddress }),
  walletMemo: walletMemo => ({ walletMemo }),
  method: method => ({ method }),
  'theme.themeName': themeName => ({ theme: { isDark: false, themeName } }),
  'theme.primaryColor': primaryColor => ({ theme: { isDark: false, primaryColor } }),
  'theme.borderRadius': borderRadius => ({ theme: { isDark: false, borderRadius } }),
  reason: reason => ({ status: 'failed', reason }),
  hash: hash => ({ status: 'completed', hash }),
  'deposit.address': address => ({ deposit: { address } }),
  'deposit.memo': memo => ({ deposit: { address: 'x', memo } }),
  pageOrigin: pageOrigin => ({ pageOrigin }),
  permissions: permission => ({ permissions: [permission] }),
  returnTo: text => ({ status: 'completed', returnTo: `https://shop.example/${text}` }),
  ancestors: ancestor => ({ ancestors: [ancestor] }),
};

describe.each(Object.entries(FIELDS))('%s', (_name, field) => {
  it.each(NASTY)('stays text: %s', text => {
    for (const example of [exampleView, exampleSale]) {
      const [plain, nasty] = [render(example(field('plain'))), render(example(field(text)))];
      expect(tagsOf(nasty)).toEqual(tagsOf(plain));
      // Only what a script reads or copies keeps characters that cannot be seen.
      const shown = nasty.replace(/ data-(state|setup|copy)="[^"]*"| href="[^"]*"/g, '');
      expect(shown).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/);
    }
  });
});

/** The tags of a page with the names of their attributes: a text cannot add to them. */
function tagsOf(page: string): string[] {
  return (
    [...page.matchAll(/<(\/?[a-z0-9!]+)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/gi)]
      .map(
        ([, name, rest]) =>
          `${name} ${[...(rest ?? '').matchAll(/([a-z-]+)(?:="[^"]*")?/gi)].map(one => one[1])}`,
      )
      .filter(tag => !/^\/?(span|wbr) /.test(tag))
      // An address that cannot be checked by eye is not drawn, and a text may be none at all.
      .map(tag => tag.replace(/,(src|hidden)$/, ''))
  );
}

describe('other pages', () => {
  it('lead back to the order, without script as well', () => {
    const page = returnPage(exampleView(), OPTIONS);
    expect(page).toContain('<a id="go-on" class="button primary" href="/pay/t1">');
    expect(page).toContain('src="/pay/assets/return.js?v=1"');
  });

  it('say what is wrong and how to go on', () => {
    const page = troublePage({ title: 'T <', lead: 'L >', retry: '/pay/t1', requestId: 'r1' }, OPTIONS);
    expect(page).toContain('<h1>T &lt;</h1>');
    expect(page).toContain('<a class="button primary" href="/pay/t1">Try again</a>');
    expect(page).not.toContain('<script');
    expect(troublePage({ title: '', lead: '', retry: undefined, requestId: '' }, OPTIONS)).not.toContain(
      '<a',
    );
  });
});
