/** HTML: whatever a text holds, it stays text. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { html, markupOf, verbatim, visible } from './html.ts';

describe('html', () => {
  it('escapes what is put in, in text and in attributes', () => {
    const text = `<script>alert("x")</script> & 'y'`;
    expect(markupOf(html`<p title="${text}">${text}</p>`)).toBe(
      '<p title="&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;">' +
        '&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;y&#39;</p>',
    );
  });

  it('keeps its own, and lists of its own', () => {
    const items = ['a', '<b>'].map(item => html`<li>${item}</li>`);
    expect(markupOf(html`<ul>${items}</ul>${false}${undefined}${3}`)).toBe(
      '<ul><li>a</li><li>&lt;b&gt;</li></ul>3',
    );
  });

  it('leaves nothing behind that could end a text or an attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        for (const written of [markupOf(html`${text}`), markupOf(verbatim(text))]) {
          expect(written).not.toMatch(/[<>"']/);
        }
      }),
    );
  });

  it('cannot be talked into taking an object for its own', () => {
    const forged = JSON.parse('{"markup": "<script>"}');
    expect(markupOf(html`${forged}`)).not.toContain('<script>');
  });
});

describe('visible', () => {
  it.each([
    ['a right-to-left override', 'abc\u202Edef'],
    ['an isolate', 'abc\u2067def'],
    ['a zero-width space', 'abc\u200Bdef'],
    ['a byte order mark', 'abc\uFEFFdef'],
    ['a soft hyphen', 'abc\u00ADdef'],
    ['NUL', 'abc\u0000def'],
    ['a line separator', 'abc\u2028def'],
    ['a lone surrogate', 'abc\uD800def'],
    ['a Hangul filler', 'abc\u3164def'],
    ['a tag character', 'abc\u{E0041}def'],
  ])('shows %s', (_name, text) => {
    expect(visible(text)).toBe('abc\uFFFDdef');
  });

  it('leaves what can be seen', () => {
    const text = 'Café Ünïcode 例 ✓ 0x1F';
    expect(visible(text)).toBe(text);
    expect(visible('one\r\n\ttwo')).toBe('one two');
  });
});
