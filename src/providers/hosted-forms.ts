/** Forms of the hosted pages: what is asked of a person, filled in so that nobody in a sandbox has to type. */
import type { Flow } from './hosted.ts';
import { html, type Markup } from './hosted-markup.ts';
import type { World } from './world.ts';

export interface Button {
  move: string;
  says: string;
  look?: 'plain' | 'quiet';
}

/** A form below the flow's path; each of its buttons makes its own move, and the first one is the usual. */
export function form(path: string, fields: readonly Markup[], ...buttons: readonly Button[]): Markup {
  const drawn = buttons.map(
    ({ move, says, look }) =>
      html`<button class="${look ?? 'main'}" formaction="${path}/${move}" data-action="${move}">${says}</button>`,
  );
  return html`<form method="post" action="${path}/${buttons[0]?.move ?? ''}">${fields}${drawn}</form>`;
}

interface Field {
  name: string;
  label: string;
  value?: string;
  type?: 'email' | 'date' | 'numeric';
  autocomplete?: string;
}

/** One row of fields, beside each other. */
function row(...fields: readonly Field[]): Markup {
  return html`<div class="${fields.length > 1 ? 'two' : 'one'}">${fields.map(draw)}</div>`;
}

function draw({ name, label, value, type, autocomplete }: Field): Markup {
  const kind = type === 'numeric' ? html`type="text" inputmode="numeric"` : html`type="${type ?? 'text'}"`;
  return html`<label>${label}<input name="${name}" ${kind} value="${value ?? ''}"
autocomplete="${autocomplete ?? 'off'}" maxlength="200"></label>`;
}

/** The example of many an IBAN document, and a card for which the bank asks back. */
export const IBAN = 'DE89 3704 0044 0532 0130 00';
const CARD = '4242 4242 4242 4242';

export function emailFields({ email }: Flow): Markup[] {
  return [row({ name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email', value: email })];
}

export const CODE_FIELDS = [
  row({ name: 'code', label: 'Six-digit code', type: 'numeric', autocomplete: 'one-time-code' }),
];

export const BANK_CODE_FIELDS = [
  row({
    ...{ name: 'code', label: 'Code from your bank', type: 'numeric', autocomplete: 'one-time-code' },
    value: '1234',
  }),
];

export const CARD_FIELDS = [
  row({ name: 'number', label: 'Card number', type: 'numeric', autocomplete: 'cc-number', value: CARD }),
  row(
    { name: 'expiry', label: 'Expiry (MM/YY)', autocomplete: 'cc-exp', value: '12/30' },
    { name: 'cvc', label: 'Security code', type: 'numeric', autocomplete: 'cc-csc', value: '123' },
  ),
];

export function payoutFields({ means }: Flow): Markup[] {
  return [
    means === 'card'
      ? row({
          name: 'account',
          label: 'Card number',
          type: 'numeric',
          autocomplete: 'cc-number',
          value: CARD,
        })
      : row({ name: 'account', label: 'IBAN or account number', value: IBAN }),
  ];
}

/** The person of Transak's "Sandbox credentials". */
export function identityFields({ country }: Flow, world: World): Markup[] {
  const countries = [...world.currencies.countries.values()].map(
    ({ code, name }) => html`<option value="${code}"${code === country && html` selected`}>${name}</option>`,
  );
  return [
    row(
      { name: 'first', label: 'First name', autocomplete: 'given-name', value: 'Jane' },
      { name: 'last', label: 'Last name', autocomplete: 'family-name', value: 'Doe' },
    ),
    row({
      ...{ name: 'birthdate', label: 'Date of birth', type: 'date', autocomplete: 'bday' },
      value: '1998-01-01',
    }),
    row({
      ...{ name: 'street', label: 'Address', autocomplete: 'address-line1' },
      value: '170 Rue du Faubourg Saint-Denis',
    }),
    row(
      { name: 'postcode', label: 'Postcode', autocomplete: 'postal-code', value: '75010' },
      { name: 'city', label: 'City', autocomplete: 'address-level2', value: 'Paris' },
    ),
    html`<label>Country<select name="country" autocomplete="country">${countries}</select></label>`,
  ];
}

const DOCUMENTS = [
  ['passport', 'Passport'],
  ['driving_licence', 'Driving licence'],
  ['national_identity_card', 'Identity card'],
] as const;

export const DOCUMENT_FIELDS = [
  html`<fieldset><legend>Document</legend>${DOCUMENTS.map(
    ([kind, says], at) =>
      html`<label><input type="radio" name="kind" value="${kind}"${at === 0 && html` checked`}>${says}</label>`,
  )}</fieldset>`,
];

/** What a bank transfer is recognised by. */
export function referenceOf({ order }: Flow): string {
  return order.replaceAll('-', '').slice(0, 10).toUpperCase();
}
