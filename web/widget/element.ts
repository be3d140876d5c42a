/** `<cloverleaf-widget>`: the widget in a frame, on any page; its attributes are the widget's parameters in kebab case. */

import { POWERS } from '../../src/http/powers.ts';
import { parametersIn } from './attributes.ts';
import { readMessage, type WidgetEvent } from './messages.ts';

declare global {
  interface HTMLElementTagNameMap {
    'cloverleaf-widget': HTMLElement;
  }
}

/** Where this script came from; only there the widget is. */
const HOME = new URL('.', (document.currentScript as HTMLScriptElement | null)?.src ?? location.href);

const STYLE =
  ':host{display:block;max-width:480px}iframe{display:block;width:100%;border:0;border-radius:16px;color-scheme:normal}';
const FIRST_HEIGHT = 640;
const MOST_HEIGHT = 4_000;

class CloverleafWidget extends HTMLElement {
  #frame: HTMLIFrameElement | undefined;
  #watch: MutationObserver | undefined;

  connectedCallback(): void {
    const frame = document.createElement('iframe');
    frame.title = this.title || 'Cloverleaf';
    frame.allow = POWERS.map(power => `${power} ${HOME.origin}`).join('; ');
    frame.style.height = `${FIRST_HEIGHT}px`;
    frame.src = addressOf(this);
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    shadow.adoptedStyleSheets = [style];
    shadow.replaceChildren(frame);
    this.#frame = frame;
    window.addEventListener('message', this.#hear);
    this.#watch = new MutationObserver(() => this.#renew());
    this.#watch.observe(this, { attributes: true });
  }

  disconnectedCallback(): void {
    window.removeEventListener('message', this.#hear);
    this.#watch?.disconnect();
    this.#frame = undefined;
  }

  /** Other parameters, another widget. */
  #renew(): void {
    const address = addressOf(this);
    if (this.#frame && this.#frame.src !== address) this.#frame.src = address;
  }

  /** Only our own frame is believed, and only while it shows our own page. */
  #hear = ({ origin, source, data }: MessageEvent): void => {
    if (origin !== HOME.origin || !this.#frame || source !== this.#frame.contentWindow) return;
    const message = readMessage(data);
    if (!message) return;
    const { source: _source, version: _version, ...event } = message;
    if (event.type === 'resize') this.#resize(event.height);
    this.#dispatch(event);
  };

  #resize(height: number): void {
    if (this.#frame && height > 0 && height <= MOST_HEIGHT) this.#frame.style.height = `${height}px`;
  }

  #dispatch(event: WidgetEvent): void {
    this.dispatchEvent(
      new CustomEvent(`cloverleaf:${event.type}`, { detail: event, bubbles: true, composed: true }),
    );
  }
}

function addressOf({ attributes }: HTMLElement): string {
  const url = new URL('widget', HOME);
  for (const [name, value] of parametersIn(attributes)) url.searchParams.set(name, value);
  url.searchParams.set('embedder', location.origin);
  return url.href;
}

if (!customElements.get('cloverleaf-widget')) customElements.define('cloverleaf-widget', CloverleafWidget);
