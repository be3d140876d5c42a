/** What the stand-in asks a person step by step: forms, documents and bank details, as the protocol writes them. */
import type { World } from '../world.ts';

/** A form of one field for a code that was sent. */
export function codeForm(key: 'emailCode' | 'phoneCode'): object {
  const name = key === 'emailCode' ? 'verifyEmailCode' : 'verifyPhoneCode';
  return {
    type: 'form',
    key,
    title: key === 'emailCode' ? 'Check your e-mail' : 'Check your phone',
    // What the person has said is not said back: others may be looking on.
    description: 'We have sent a code there.',
    data: [{ type: 'string', name, humanName: 'Six-digit code', hint: CODE_HINT }],
  };
}

const CODE_HINT = 'Sandbox: 123456 is right, 999999 ends the order, and any other is wrong.';

export const EMAIL_FORM = {
  type: 'form',
  key: 'email',
  title: 'Your e-mail address',
  data: [{ type: 'string', name: 'email', humanName: 'E-mail' }],
};

/** `withState` where the person is expected to live in the United States. */
export function identityForm(world: World, withState: boolean): object {
  const countries = [...world.currencies.countries.values()].map(({ code, name }) => ({
    value: code,
    humanName: name,
  }));
  return {
    type: 'form',
    key: 'identity',
    title: 'About you',
    description: 'As it stands in your documents.',
    data: [
      {
        ...{ type: 'string', name: 'firstName', humanName: 'First name' },
        hint: 'Sandbox: “Deny” is refused.',
      },
      { type: 'string', name: 'lastName', humanName: 'Last name' },
      { type: 'date', name: 'dateOfBirth', humanName: 'Date of birth' },
      { type: 'string', name: 'street', humanName: 'Street and number' },
      { type: 'string', name: 'town', humanName: 'Town' },
      { type: 'string', name: 'postCode', humanName: 'Postcode' },
      { type: 'select', name: 'country', humanName: 'Country', options: countries },
      ...(withState ? [STATE_FIELD] : []),
      { type: 'integer', name: 'phoneCountryCode', humanName: 'Country calling code' },
      { type: 'integer', name: 'phoneNumber', humanName: 'Phone number' },
      {
        type: 'boolean',
        name: 'termsOfUse',
        humanName: 'I agree to the terms of use',
        terms: [{ url: `${world.base('pages')}/terms`, humanName: 'Terms of use' }],
      },
    ],
  };
}

const STATES: Readonly<Record<string, string>> = {
  ...{ AL: 'Alabama', AK: 'Alaska', AZ: 'Arizona', AR: 'Arkansas', CA: 'California', CO: 'Colorado' },
  ...{ CT: 'Connecticut', DE: 'Delaware', DC: 'District of Columbia', FL: 'Florida', GA: 'Georgia' },
  ...{ HI: 'Hawaii', ID: 'Idaho', IL: 'Illinois', IN: 'Indiana', IA: 'Iowa', KS: 'Kansas', KY: 'Kentucky' },
  ...{ LA: 'Louisiana', ME: 'Maine', MD: 'Maryland', MA: 'Massachusetts', MI: 'Michigan', MN: 'Minnesota' },
  ...{ MS: 'Mississippi', MO: 'Missouri', MT: 'Montana', NE: 'Nebraska', NV: 'Nevada', NH: 'New Hampshire' },
  ...{ NJ: 'New Jersey', NM: 'New Mexico', NY: 'New York', NC: 'North Carolina', ND: 'North Dakota' },
  ...{ OH: 'Ohio', OK: 'Oklahoma', OR: 'Oregon', PA: 'Pennsylvania', RI: 'Rhode Island' },
  ...{ SC: 'South Carolina', SD: 'South Dakota', TN: 'Tennessee', TX: 'Texas', UT: 'Utah', VT: 'Vermont' },
  ...{ VA: 'Virginia', WA: 'Washington', WV: 'West Virginia', WI: 'Wisconsin', WY: 'Wyoming' },
};

export function isState(word: string): boolean {
  return Object.hasOwn(STATES, word);
}

const STATE_FIELD = {
  type: 'select',
  name: 'state',
  humanName: 'State',
  options: Object.entries(STATES).map(([value, humanName]) => ({ value, humanName })),
};

export const STATE_FORM = { type: 'form', key: 'state', title: 'Your state', data: [STATE_FIELD] };

/** The files that are asked for, by key. */
export const FILES: Readonly<Record<string, { humanName: string; next: string }>> = {
  passport: { humanName: 'The page of your passport with the photo', next: 'selfie' },
  licenceFront: { humanName: 'The front of your driving licence', next: 'licenceBack' },
  licenceBack: { humanName: 'The back of your driving licence', next: 'selfie' },
  cardFront: { humanName: 'The front of your identity card', next: 'cardBack' },
  cardBack: { humanName: 'The back of your identity card', next: 'selfie' },
  selfie: { humanName: 'A photo of your face', next: 'pay' },
};

export function fileStep(key: string): object {
  return {
    type: 'file',
    key,
    humanName: FILES[key]?.humanName ?? key,
    hint: 'Sandbox: any picture is taken, but one with the word “blurry” in it is not.',
    acceptedContentTypes:
      key === 'selfie' ? ['image/jpeg', 'image/png'] : ['image/jpeg', 'image/png', 'application/pdf'],
  };
}

const DOCUMENTS = [
  { title: 'Passport', key: 'passport' },
  { title: 'Driving licence', key: 'licenceFront', description: 'Front and back' },
  { title: 'Identity card', key: 'cardFront', description: 'Front and back' },
];

export const DOCUMENT_KEYS: readonly string[] = DOCUMENTS.map(({ key }) => key);

export const DOCUMENT_STEP = {
  type: 'pickOne',
  title: 'Verify your identity',
  description: 'For this amount we have to see a document.',
  options: DOCUMENTS.map(({ title, description, key }) => ({ title, description, nextStep: fileStep(key) })),
};
