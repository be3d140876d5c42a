/** Markdown as our pages show it. */
import { describe, expect, it } from 'vitest';
import { markupOf } from '../html.ts';
import { renderMarkdown } from './markdown.ts';

const render = (text: string) => {
  const { body, ...rest } = renderMarkdown(text, href =>
    href.startsWith('x.md') ? `/docs/${href}` : undefined,
  );
  return { ...rest, body: markupOf(body) };
};

describe('a document', () => {
  it('has its first heading as title, and an address for each of the others', () => {
    const { title, headings, body } = render(
      '# A `code` title\n\n## It’s here: now!\n\n## It’s here: now!\n\n### Deeper',
    );
    expect(title).toBe('A code title');
    expect(headings).toEqual([
      { depth: 2, id: 'its-here-now', text: 'It’s here: now!' },
      { depth: 2, id: 'its-here-now-1', text: 'It’s here: now!' },
      { depth: 3, id: 'deeper', text: 'Deeper' },
    ]);
    expect(body).toContain('<h2 id="its-here-now">It’s here: now! <a class="anchor" href="#its-here-now"');
  });

  it('leads to pages of ours, to other sites, and nowhere else', () => {
    expect(render('[a](x.md#b)').body).toContain('<a href="/docs/x.md#b">a</a>');
    expect(render('[a](https://a.example/?x=1&y=2)').body).toContain('href="https://a.example/?x=1&amp;y=2"');
    expect(render('[a](#b)').body).toContain('href="#b"');
    for (const href of [
      '../src/main.ts',
      'javascript:alert(1)',
      'data:text/html,x',
      '//evil.example',
      'y.md',
    ])
      expect(render(`[a](${href})`).body).toBe('<p>a</p>\n');
  });

  it('shows markup as the text it is', () => {
    const { body } = render(
      'a <script>alert(1)</script> <b onclick="x">b</b>\n\n<style>p{}</style>\n\n![p](https://x.example/p.png)',
    );
    expect(body).not.toMatch(/<(script|style|b|img)\b/);
    expect(body).toContain('&lt;script&gt;');
  });

  it('shows code to the last character, with a button to copy it', () => {
    const { body } = render('```js\nconst a = "<b>"; // it’s 1 & 2\n```\n\n```text\nout\n```');
    const [code = '', output = ''] = body.split('</pre>');
    const text = code
      .replace(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"');
    expect(text.replaceAll('&amp;', '&')).toBe('const a = "<b>"; // it’s 1 & 2');
    expect(code).toContain('<span class="comment">// it’s 1 &amp; 2</span>');
    expect(output).toContain('<button class="copy"');
    expect(body.match(/<button/g)).toHaveLength(1);
  });

  it('has tables that can be scrolled, with a head only where columns have names', () => {
    expect(render('| a | b |\n| --- | --- |\n| 1 | `2` |').body).toMatch(
      /<div class="table" tabindex="0"><table>\s*<thead>/,
    );
    expect(render('| | |\n| --- | --- |\n| 1 | 2 |').body).not.toContain('<thead>');
  });
});
