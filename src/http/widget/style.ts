/** The widget's own style: the theme as CSS variables, light and dark where the person's device decides. */
import { themeCss } from '../theme.ts';
import type { Parameters } from './parameters.ts';

export function widgetCss({ theme, looks }: Pick<Parameters, 'theme' | 'looks'>): string {
  const { isDark, ...colours } = theme;
  const { containerColor } = looks;
  const css = (dark: boolean) => themeCss({ ...colours, isDark: dark }, containerColor);
  const scheme =
    isDark === null ? `${css(false)}@media (prefers-color-scheme:dark){${css(true)}}` : css(isDark);
  const own = [
    looks.widgetBorderRadius && `--widget-radius:${looks.widgetBorderRadius}`,
    looks.fontFamily && `--font:${looks.fontFamily}`,
    containerColor && '--container:var(--background)',
  ].filter(Boolean);
  return own.length > 0 ? `${scheme}:root{${own.join(';')}}` : scheme;
}
