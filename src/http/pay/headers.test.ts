/** Headers: exactly what the page needs, for exactly whom it needs it. */
import { describe, expect, it } from 'vitest';
import { exampleView } from '../../../test/browser/pay-world.ts';
import type { PayView } from '../../app/pay.ts';
import {
  framePermissions,
  isFramed,
  listenerOf,
  payHeaders,
  returnHeaders,
  stepBackHeaders,
  troubleHeaders,
} from './headers.ts';

const PLACE = { origin: 'https://ramp.example', path: '/pay/t1', nonce: 'abc' };
const PROVIDER = 'https://pay.provider.example';

const csp = (headers: Record<string, string>) =>
  Object.fromEntries(
    (headers['content-security-policy'] ?? '').split('; ').map(directive => {
      const [name = '', ...sources] = directive.split(' ');
      return [name, sources.join(' ')];
    }),
  );

describe('the page', () => {
  it('loads, frames and sends nothing but what it names', () => {
    expect(payHeaders(exampleView(), PLACE)['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-abc'; img-src 'self' data:; base-uri 'none'; " +
        `connect-src 'self'; frame-src ${PROVIDER} https://ramp.example/pay/t1/return; form-action 'self' ${PROVIDER}; frame-ancestors 'self'; ` +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    );
  });

  it('is framed by registered origins and our own widget only', () => {
    const ancestors = ['https://shop.example', 'https://shop.example', 'http://127.0.0.1:8080'];
    expect(csp(payHeaders(exampleView({ ancestors }), PLACE))['frame-ancestors']).toBe(
      "'self' https://shop.example http://127.0.0.1:8080",
    );
  });

  it.each([
    '*',
    'https://*',
    'https:',
    'https://shop.example/path',
    'https://shop.example; script-src *',
    'https://shop.example evil.example',
    'https://shop.example\r\nx-evil: 1',
    'https://Shop.example',
    'https://user@shop.example',
    'javascript://shop.example',
    'data:',
    'null',
    '',
    "'self'",
    'https://shop.example:443',
  ])('does not take %j for an origin', odd => {
    expect(csp(payHeaders(exampleView({ ancestors: [odd] }), PLACE))['frame-ancestors']).toBe("'self'");
    expect(csp(payHeaders(exampleView({ pageOrigin: odd }), PLACE))).toMatchObject({
      'frame-src': "'none'",
      'form-action': "'self'",
    });
  });

  it('frames no provider that opens in a window, and never our own origin', () => {
    const redirect = exampleView({ opens: 'redirect' });
    expect(csp(payHeaders(redirect, PLACE))['frame-src']).toBe("'none'");
    const own = exampleView({ pageOrigin: PLACE.origin });
    expect(isFramed(own, PLACE.origin)).toBe(false);
    expect(csp(payHeaders(own, PLACE))['frame-src']).toBe("'none'");
  });

  it('hands on the provider’s powers to the provider, and no others to anyone', () => {
    const view = exampleView({
      permissions: ['camera', 'payment', 'camera', 'usb', 'evil=*', 'microphone;'],
    });
    const policy = payHeaders(view, PLACE)['permissions-policy']?.split(', ') ?? [];
    expect(policy.filter(one => !one.endsWith('=()'))).toEqual([
      `camera=(self "${PROVIDER}")`,
      'clipboard-write=(self)',
      `payment=(self "${PROVIDER}")`,
    ]);
    expect(policy).toContain('microphone=()');
    expect(policy).toContain('usb=()');
    expect(framePermissions(view)).toBe(`camera ${PROVIDER}; payment ${PROVIDER}`);
  });

  it('keeps its address to itself', () => {
    expect(payHeaders(exampleView(), PLACE)).toMatchObject({
      'referrer-policy': 'origin',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-opener-policy': 'unsafe-none',
    });
  });
});

describe('an order by steps', () => {
  const SHOWS = 'https://widget.example';
  const steps = (embedder: string | undefined, ancestors: string[] = [], around?: string) =>
    exampleView({ ancestors, handover: { embedder, around, trackingUrl: 'https://ramp.example/pay/t1' } });

  it('is framed by the page that shows the steps and by registered origins, and tells the former alone', () => {
    const view = steps(SHOWS, ['https://shop.example', SHOWS]);
    for (const headers of [payHeaders(view, PLACE), returnHeaders(view, PLACE)]) {
      expect(csp(headers)['frame-ancestors']).toBe(`'self' ${SHOWS} https://shop.example`);
    }
    expect(listenerOf(view)).toBe(SHOWS);
  });

  it('may stand in a page that stands in another, which it tells nothing', () => {
    const view = steps(SHOWS, [], 'https://shop.example');
    expect(csp(payHeaders(view, PLACE))['frame-ancestors']).toBe(`'self' ${SHOWS} https://shop.example`);
    expect(listenerOf(view)).toBe(SHOWS);
    expect(csp(payHeaders(steps(SHOWS, [], '*'), PLACE))['frame-ancestors']).toBe(`'self' ${SHOWS}`);
  });

  it.each([
    undefined,
    'null',
    '',
    '*',
    'capacitor://localhost',
    'file://',
    'https://widget.example/path',
    'https://widget.example; script-src *',
  ])('may be framed by anyone, and leaves it to the browser whom it tells, when its page is %j', embedder => {
    const view = steps(embedder, ['https://shop.example']);
    expect(csp(payHeaders(view, PLACE))['frame-ancestors']).toBe("'self' *");
    expect(csp(returnHeaders(view, PLACE))['frame-ancestors']).toBe("'self' *");
    expect(listenerOf(view)).toBe('');
  });

  it('is as strict as any other in all else', () => {
    const rest = (view: PayView) => ({
      ...payHeaders(view, PLACE),
      'content-security-policy': Object.entries(csp(payHeaders(view, PLACE))).filter(
        ([name]) => name !== 'frame-ancestors',
      ),
    });
    expect(rest(steps(undefined))).toEqual(rest(exampleView()));
    expect(listenerOf(exampleView())).toBeUndefined();
  });
});

describe('the page between two steps', () => {
  const registered = ['https://shop.example', '*'];

  it('stands in the page that shows the steps and in those of registered origins', () => {
    const framers = { embedder: 'https://widget.example', around: undefined, registered };
    expect(csp(stepBackHeaders(framers, 'abc'))['frame-ancestors']).toBe(
      'https://widget.example https://shop.example',
    );
  });

  it('stands anywhere while nobody is known to show them', () => {
    const framers = { embedder: undefined, around: undefined, registered };
    expect(csp(stepBackHeaders(framers, 'abc'))['frame-ancestors']).toBe('*');
  });
});

describe('the return page', () => {
  it('stands in our frame, and in those of registered origins', () => {
    const ancestors = ['https://shop.example'];
    expect(csp(returnHeaders(exampleView(), PLACE))['frame-ancestors']).toBe("'self'");
    expect(csp(returnHeaders(exampleView({ ancestors }), PLACE))['frame-ancestors']).toBe(
      "'self' https://shop.example",
    );
  });

  it('keeps its opener', () => {
    expect(returnHeaders(exampleView(), PLACE)['cross-origin-opener-policy']).toBe('unsafe-none');
  });
});

describe('the page that says what went wrong', () => {
  it('stands in any page, and lets nothing be done there', () => {
    expect(csp(troubleHeaders('abc'))).toMatchObject({
      'default-src': "'none'",
      'form-action': "'none'",
      'frame-ancestors': '*',
    });
    expect(troubleHeaders('abc')['permissions-policy']).not.toMatch(/=\((?!\))/);
  });
});
