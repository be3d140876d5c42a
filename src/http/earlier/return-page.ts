/** The page between two steps: carries the next one to its script, and shows people a way on when nobody listens. */
import { writeJson } from '../../domain/json.ts';
import type { BankTransfer } from '../../domain/step.ts';
import { html, verbatim } from '../html.ts';
import { bankSection, type FrameOptions, frame, tell } from '../pay/parts.ts';
import { themeCss } from '../theme.ts';

export interface StepBack {
  /** The next step, as clients read it. */
  step: Readonly<Record<string, unknown>>;
  /** Origin of the page that is told; empty where only its browser may know it. */
  listener: string;
  /** The bank transfer that the person is to make, if that is what comes next. */
  bank: BankTransfer | undefined;
}

export function stepBackPage({ step, listener, bank }: StepBack, options: FrameOptions): string {
  const { trackingUrl } = step;
  const { speech } = options;
  const { words } = speech;
  const title = html`${words.returned}`;
  const body = html`
<main id="returned" data-listener="${verbatim(listener)}" data-step="${verbatim(writeJson(step))}">
<div class="card">
<h1>${title}</h1>
${step.type === 'error' && html`<p>${String(step.message)}</p>`}
<p>${words.steppedBack}</p>
${bank && bankSection({ ...bank.account, reference: bank.reference, hint: bank.hint, amount: '' }, '', speech)}
${typeof trackingUrl === 'string' && html`<p><a class="button primary" href="${verbatim(trackingUrl)}">${words.goOn}</a></p>`}
${listener !== '' && html`<p><a class="button" href="${verbatim(listener)}" target="_top">${tell(speech, words.back, { host: new URL(listener).host })}</a></p>`}
</div>
</main>
<script type="module" src="${options.asset('step-back.js')}"></script>`;
  return frame({ title, body, style: themeCss({ isDark: false }) }, options);
}
