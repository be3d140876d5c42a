/** Themes: a shop's colours as CSS variables. Nothing of what the shop wrote reaches the page, only numbers read from it. */
import type { Theme } from '../app/pay.ts';

/** A declaration block of CSS variables, and the scheme the browser's own controls follow. `around` is what the card lies on. */
export function themeCss(theme: Theme, around?: string): string {
  const card = readColor(theme.cardColor);
  // A card decides which text can be read on it, whatever the theme calls itself.
  const scheme = card ? (luminance(over(card, WHITE)) < MIDDLE ? DARK : LIGHT) : theme.isDark ? DARK : LIGHT;
  const background = over(readColor(around) ?? scheme.background, scheme.background);
  const surface = card ? over(card, background) : scheme.card;
  const primary = over(readColor(theme.primaryColor) ?? scheme.primary, surface);
  const secondary = over(readColor(theme.secondaryColor) ?? scheme.secondary, surface);
  const primaryText = readColor(theme.primaryTextColor);
  // Where the order stands is told on a hint of the main colour.
  const tinted = over([primary[0], primary[1], primary[2], TINT], surface);
  const text = readable([primaryText, scheme.text], surface, tinted);
  // What a card swallows comes nearer to the text by and by, and is the text at last.
  const toned = ([red, green, blue]: Color) =>
    readable(
      [1, 0.6, 0.3, 0].map(share => over([red, green, blue, share], text)),
      surface,
      tinted,
    );
  const [good, bad] = [toned(scheme.good), toned(scheme.bad)];
  const muted = readable([readColor(theme.secondaryTextColor), scheme.muted, text], surface, tinted);
  // A hint on which something could not be read is left out.
  const isHinted = [primary, good, bad].every(([red, green, blue]) => {
    const hint = over([red, green, blue, TINT], surface);
    return [text, muted, good, bad].every(ink => contrast(ink, hint) >= 4.5);
  });
  const variables: Record<string, string> = {
    background: write(background),
    aside: write(readable([scheme.muted, scheme.text], background)),
    card: write(surface),
    text: write(text),
    muted: write(muted),
    tint: `${isHinted ? TINT * 100 : 0}%`,
    primary: write(primary),
    'on-primary': write(readable([primaryText, WHITE], primary)),
    secondary: write(secondary),
    'on-secondary': write(readable([text], secondary)),
    focus: write(contrast(primary, surface) >= 3 ? primary : text),
    good: write(good),
    bad: write(bad),
    radius: readRadius(theme.borderRadius) ?? '14px',
  };
  const declarations = Object.entries(variables).map(([name, value]) => `--${name}:${value}`);
  return `:root{color-scheme:${scheme.name};${declarations.join(';')}}`;
}

/** Red, green and blue from 0 to 255, and how much covers what lies below, from 0 to 1. */
type Color = readonly [red: number, green: number, blue: number, alpha: number];

const BLACK: Color = [0, 0, 0, 1];
const WHITE: Color = [255, 255, 255, 1];
/** Here black and white can be read equally well. */
const MIDDLE = 0.18;
/** How much of the main colour is a hint of it. */
const TINT = 0.06;

const LIGHT = {
  name: 'light',
  background: hex('#f2f4f3'),
  card: WHITE,
  text: hex('#15191f'),
  muted: hex('#57616d'),
  primary: hex('#0b7349'),
  secondary: hex('#edf0ef'),
  good: hex('#0b7349'),
  bad: hex('#b3261e'),
};
const DARK: typeof LIGHT = {
  name: 'dark',
  background: hex('#0d1014'),
  card: hex('#161b21'),
  text: hex('#f1f4f6'),
  muted: hex('#a5afba'),
  primary: hex('#4ad295'),
  secondary: hex('#262d35'),
  good: hex('#4ad295'),
  bad: hex('#ff8f86'),
};

/** Reads `#rgb`, `#rrggbb`, `#rrggbbaa`, `rgb()` and `hsl()`, with commas or spaces; undefined for anything else. */
export function readColor(text: string | undefined): Color | undefined {
  if (text === undefined || text.length > 40) return undefined;
  if (/^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return hex(text);
  const [, name, inside = ''] = /^(rgb|hsl)a?\(([0-9.,/% ]+)\)$/i.exec(text) ?? [];
  const [first = '', second = '', third = '', alpha = '1', ...rest] = inside.split(/ ?[,/] ?| /);
  if (name === undefined || rest.length > 0 || !ALPHA.test(alpha)) return undefined;
  const parts = name.toLowerCase() === 'rgb' ? readRgb(first, second, third) : readHsl(first, second, third);
  return parts && [...parts, readAlpha(alpha)];
}

const WHOLE = /^\d{1,3}$/;
const PERCENT = /^\d{1,3}%$/;
const ALPHA = /^([01]|[01]?\.\d{1,3}|\d{1,3}%)$/;

type Channels = [red: number, green: number, blue: number];

function readRgb(...words: readonly string[]): Channels | undefined {
  const channels = words.filter(word => WHOLE.test(word)).map(Number);
  return channels.length === 3 && channels.every(value => value <= 255) ? (channels as Channels) : undefined;
}

function readHsl(hue: string, saturation: string, lightness: string): Channels | undefined {
  if (!WHOLE.test(hue) || !PERCENT.test(saturation) || !PERCENT.test(lightness)) return undefined;
  const [turn, strength, light] = [
    Number(hue),
    Number.parseInt(saturation, 10),
    Number.parseInt(lightness, 10),
  ];
  if (turn > 360 || strength > 100 || light > 100) return undefined;
  return fromHsl(turn, strength / 100, light / 100);
}

function readAlpha(text: string): number {
  return Math.min(text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text), 1);
}

function hex(text: string): Color {
  const digits = text.length === 4 ? text.slice(1).replace(/./g, '$&$&') : text.slice(1);
  const at = (start: number) => Number.parseInt(digits.slice(start, start + 2), 16);
  return [at(0), at(2), at(4), digits.length === 8 ? at(6) / 255 : 1];
}

function fromHsl(hue: number, saturation: number, lightness: number): Channels {
  const reach = saturation * Math.min(lightness, 1 - lightness);
  const channel = (shift: number) => {
    const turn = (shift + hue / 30) % 12;
    return Math.round(255 * (lightness - reach * Math.max(-1, Math.min(turn - 3, 9 - turn, 1))));
  };
  return [channel(0), channel(8), channel(4)];
}

/** What is seen of a colour that lies over another. */
function over([red, green, blue, alpha]: Color, below: Color): Color {
  const mix = (top: number, bottom: number) => Math.round(top * alpha + bottom * (1 - alpha));
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2]), 1];
}

/** The first that can be read on every surface, else black or white, whichever is clearer on the first one. */
function readable(wished: readonly (Color | undefined)[], surface: Color, ...others: Color[]): Color {
  for (const color of wished) {
    const seen = color && over(color, surface);
    if (seen && [surface, ...others].every(one => contrast(seen, one) >= 4.5)) return seen;
  }
  return contrast(WHITE, surface) >= contrast(BLACK, surface) ? WHITE : BLACK;
}

/** Contrast and luminance as WCAG 2.2 defines them. */
function contrast(a: Color, b: Color): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance([red, green, blue]: Color): number {
  const linear = (value: number) =>
    value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function write([red, green, blue]: Color): string {
  return `#${[red, green, blue].map(value => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Digits with px or rem, or alone for pixels; never so round that a card becomes a ball. */
export function readRadius(text: string | undefined): string | undefined {
  const found = /^(\d{1,3}(?:\.\d{1,2})?)(px|rem)?$/.exec(text ?? '');
  if (!found) return undefined;
  const unit = found[2] ?? 'px';
  return `${Math.min(Number(found[1]), unit === 'rem' ? 2 : 32)}${unit}`;
}
