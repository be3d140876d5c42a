/** The widget's page: its frame, and what can be seen before the script has come. */
import { writeJson } from '../../domain/json.ts';
import type { Side } from '../../domain/words.ts';
import { writeDocument } from '../document.ts';
import { type Html, html, trusted, verbatim } from '../html.ts';
import type { Choice, WidgetSetup } from './shape.ts';

export interface WidgetPage {
  setup: WidgetSetup;
  /** CSS of our own making. */
  style: string;
  /** Whether another page shows it in a frame. */
  isFramed: boolean;
  texts: Readonly<Record<string, string>>;
  nonce: string;
  /** Address of a file of ours. */
  asset(name: string): string;
}

export function widgetPage(page: WidgetPage): string {
  const { setup, texts } = page;
  const [side = 'buy'] = setup.sides;
  const title = setup.sides.length > 1 ? texts.title : side === 'buy' ? texts.titleBuy : texts.titleSell;
  const body = html`
<main id="widget" data-setup="${verbatim(writeJson(setup))}" data-texts="${page.asset(`widget-${setup.language}.json`)}">
<h1 class="unseen">${title}</h1>
${sketch(side, setup.choices[side], texts)}
</main>
<script type="module" src="${page.asset('widget-app.js')}"></script>`;
  return frame({ ...page, title: title ?? '', body, preload: true });
}

/** Said to whoever builds the page around the widget: nobody else sees a key that cannot be used. */
export function uselessPage(
  page: Omit<WidgetPage, 'setup'> & { language: string },
  why: 'developerKey' | 'developerSigned',
): string {
  const { texts } = page;
  const title = texts[why] ?? '';
  const body = html`
<main id="widget">
<div class="card trouble"><h1>${title}</h1><p>${texts[`${why}Lead`]}</p></div>
</main>`;
  return frame({ ...page, setup: undefined, title, body, preload: false });
}

interface Frame extends Omit<WidgetPage, 'setup'> {
  setup: WidgetSetup | undefined;
  language?: string;
  title: string;
  body: Html;
  preload: boolean;
}

function frame({ setup, language, title, body, preload, ...page }: Frame): string {
  const lang = setup?.language ?? language ?? 'en';
  const texts = page.asset(`widget-${lang}.json`);
  return writeDocument({
    ...{ language: lang, direction: lang === 'ar' ? 'rtl' : 'ltr', title, body, nonce: page.nonce },
    marks: page.isFramed && html` class="framed"`,
    sheet: page.asset('widget-app.css'),
    style: trusted(page.style),
    head:
      preload &&
      html`<link rel="modulepreload" href="${page.asset('widget-app.js')}">
<link rel="preload" href="${texts}" as="fetch" crossorigin="anonymous">`,
  });
}

/** The form as it is about to be: what is paid and received by default, and where offers will stand. */
function sketch(side: Side, choice: Choice | undefined, texts: WidgetPage['texts']): Html {
  const codes = choice ? [choice.fiat.code, choice.crypto.code] : ['', ''];
  const [pays = '', gets = ''] = side === 'buy' ? codes : codes.reverse();
  return html`<div class="card sketch" aria-busy="true">
<div class="field"><span class="label">${side === 'buy' ? texts.youPay : texts.youSell}</span><p class="amount">${choice?.amount ?? ''} <b>${pays}</b></p></div>
<div class="field"><span class="label">${texts.youReceive}</span><p class="amount"><i class="bar"></i> <b>${gets}</b></p></div>
<p class="unseen" role="status">${texts.waitingFor}</p>
<div class="row bar"></div><div class="row bar"></div><div class="row bar"></div>
<div class="late"><p>${texts.unreachable}</p><a class="take" href="">${texts.tryAgain}</a></div>
</div>`;
}
