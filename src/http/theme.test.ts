/** Themes: whatever a shop writes, the page gets colours that can be read, and nothing else. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readColor, readRadius, themeCss } from './theme.ts';

const SHAPE =
  /^:root\{color-scheme:(light|dark)(;--[a-z-]+:(#[0-9a-f]{6}|\d{1,2}(\.\d{1,2})?(px|rem|%)))+\}$/;
const COLORS = [
  'primaryColor',
  'secondaryColor',
  'primaryTextColor',
  'secondaryTextColor',
  'cardColor',
] as const;

function variables(css: string): Record<string, string> {
  return Object.fromEntries(
    [...css.matchAll(/--([a-z-]+):([^;}]+)/g)].map(([, name, value]) => [name, value]),
  );
}

describe('readColor', () => {
  it.each([
    ['#fff', [255, 255, 255, 1]],
    ['#A1b2C3', [161, 178, 195, 1]],
    ['#00000080', [0, 0, 0, 128 / 255]],
    ['rgb(1, 2, 3)', [1, 2, 3, 1]],
    ['rgb(1,2,3)', [1, 2, 3, 1]],
    ['rgb(1 2 3 / 50%)', [1, 2, 3, 0.5]],
    ['RGBA(1, 2, 3, .25)', [1, 2, 3, 0.25]],
    ['hsl(0, 100%, 50%)', [255, 0, 0, 1]],
    ['hsl(120 100% 25% / 1)', [0, 128, 0, 1]],
    ['hsla(240, 100%, 50%, 0.5)', [0, 0, 255, 0.5]],
  ])('reads %s', (text, color) => {
    expect(readColor(text)).toEqual(color);
  });
});

/** What a shop, or whoever writes in its name, might try. */
const ODD = [
  '',
  ' ',
  'red',
  'transparent',
  'inherit',
  '#12',
  '#1234',
  '#12345',
  '#ggg',
  '#fff;',
  '#fff}',
  '#fff/**/',
  ' #fff',
  '#fff\n',
  '#fff</style><script>alert(1)</script>',
  'red;background:url(https://evil.example)',
  'url(https://evil.example/x.png)',
  'url("javascript:alert(1)")',
  'expression(alert(1))',
  'var(--card)',
  'calc(1px)',
  'image-set("x")',
  '}@import "https://evil.example";{',
  '\\0000233b',
  'rgb(256, 0, 0)',
  'rgb(1, 2)',
  'rgb(1, 2, 3, 4, 5)',
  'rgb(-1, 2, 3)',
  'rgb(1e1, 2, 3)',
  'rgb(1%, 2, 3)',
  'rgb(url(x), 2, 3)',
  'rgb(1, 2, 3',
  'rgb((1, 2, 3))',
  'hsl(361, 1%, 1%)',
  'hsl(1, 101%, 1%)',
  'hsl(1, 1, 1)',
  'hsl(1turn, 1%, 1%)',
  'color-mix(in srgb, red, blue)',
  '#ＦＦＦ',
  '#\u202efff',
  `#${'f'.repeat(3_000)}`,
  `rgb(${'1'.repeat(3_000)}, 2, 3)`,
];

describe('themeCss', () => {
  it.each(ODD)('drops %j', text => {
    expect(readColor(text)).toBeUndefined();
    for (const name of COLORS) {
      expect(themeCss({ isDark: false, [name]: text })).toBe(themeCss({ isDark: false }));
    }
  });

  it('keeps its shape whatever is written', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 6, maxLength: 6 }), fc.boolean(), (words, isDark) => {
        const [a, b, c, d, e, f] = words;
        const css = themeCss({
          isDark,
          themeName: a,
          primaryColor: a,
          secondaryColor: b,
          primaryTextColor: c,
          secondaryTextColor: d,
          cardColor: e,
          borderRadius: f,
        });
        expect(css).toMatch(SHAPE);
      }),
    );
  });

  it('takes colours that can be read', () => {
    const css = variables(
      themeCss({
        isDark: false,
        primaryColor: '#1144cc',
        secondaryColor: '#eeeeee',
        primaryTextColor: '#222222',
        secondaryTextColor: '#555555',
        cardColor: '#fafafa',
        borderRadius: '8px',
      }),
    );
    expect(css).toMatchObject({
      primary: '#1144cc',
      secondary: '#eeeeee',
      text: '#222222',
      muted: '#555555',
      card: '#fafafa',
      radius: '8px',
      // Dark text on the dark button could not be read.
      'on-primary': '#ffffff',
    });
  });

  it('takes the text colour for the button where it can be read there', () => {
    const css = variables(themeCss({ isDark: true, primaryColor: '#ffcc00', primaryTextColor: '#332200' }));
    expect(css['on-primary']).toBe('#332200');
    expect(css.text).not.toBe('#332200');
  });

  it('follows the card, whatever the theme calls itself', () => {
    expect(themeCss({ isDark: false, cardColor: '#101020' })).toContain('color-scheme:dark');
    expect(themeCss({ isDark: true, cardColor: '#fafaff' })).toContain('color-scheme:light');
  });

  it.each(['#3b5998', '#5865f2', '#808080'])(
    'tells good from bad so that it can be read on %s',
    cardColor => {
      const { good, bad, card } = variables(themeCss({ isDark: false, cardColor }));
      expect(contrast(good, card)).toBeGreaterThanOrEqual(4.5);
      expect(contrast(bad, card)).toBeGreaterThanOrEqual(4.5);
    },
  );

  it('keeps a hint of good and bad where their own colours cannot be read', () => {
    const { good, bad, text } = variables(themeCss({ isDark: false, cardColor: '#3b5998' }));
    expect(new Set([good, bad, text]).size).toBe(3);
    expect(variables(themeCss({ isDark: false }))).toMatchObject({ good: '#0b7349', bad: '#b3261e' });
  });

  it('has a hint of its colours unless something could not be read on it', () => {
    expect(variables(themeCss({ isDark: false })).tint).toBe('6%');
    expect(variables(themeCss({ isDark: true })).tint).toBe('6%');
    expect(variables(themeCss({ isDark: false, cardColor: '#767676' })).tint).toBe('0%');
  });

  it('can always be read', () => {
    const color = fc
      .integer({ min: 0, max: 0xffffffff })
      .map(value => `#${value.toString(16).padStart(8, '0')}`);
    fc.assert(
      fc.property(fc.array(color, { minLength: 5, maxLength: 5 }), fc.boolean(), (colors, isDark) => {
        const theme = Object.fromEntries(COLORS.map((name, at) => [name, colors[at]]));
        const css = variables(themeCss({ isDark, ...theme }));
        expect(contrast(css.text, css.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(css.muted, css.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(css.good, css.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(css.bad, css.card)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(css['on-primary'], css.primary)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(css['on-secondary'], css.secondary)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(css.aside, css.background)).toBeGreaterThanOrEqual(4.5);
        for (const tone of [css.primary, css.good, css.bad])
          for (const ink of [css.text, css.muted, css.good, css.bad])
            expect(contrast(ink, mixed(tone, css.tint, css.card))).toBeGreaterThanOrEqual(4.5);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readRadius', () => {
  it.each([
    ['0px', '0px'],
    ['8px', '8px'],
    ['0.5rem', '0.5rem'],
    ['12', '12px'],
    ['999px', '32px'],
    ['50rem', '2rem'],
  ])('reads %s as %s', (text, radius) => {
    expect(readRadius(text)).toBe(radius);
  });

  it.each(['', '-1px', '8em', '8%', 'calc(1px)', '8px;color:red', '1e3px', '8 px', '8px\n', '８px'])(
    'drops %j',
    text => {
      expect(readRadius(text)).toBeUndefined();
    },
  );
});

/** Reckoned here anew, from WCAG 2.2. */
function contrast(a = '', b = ''): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** As `color-mix(in srgb, tone share, card)` does. */
function mixed(tone = '', share = '', card = ''): string {
  const part = Number.parseInt(share, 10) / 100;
  const channels = [1, 3, 5].map(at => {
    const [top, below] = [tone, card].map(hex => Number.parseInt(hex.slice(at, at + 2), 16)) as [
      number,
      number,
    ];
    return Math.round(top * part + below * (1 - part))
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
