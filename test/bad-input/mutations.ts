/** Mutations: ways in which a text that is right becomes one that may be wrong. The kind of the parameter says whether it has. */
import type { Chance } from '../../faults/bed/chance.ts';

type Mutation = (text: string) => string;

/** By what they do. */
export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'upper case': text => text.toUpperCase(),
  'lower case': text => text.toLowerCase(),
  'mixed case': text =>
    text.replace(/[a-z]/i, letter => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase())),
  'a blank before': text => ` ${text}`,
  'a blank after': text => `${text} `,
  'a tab before': text => `\t${text}`,
  'a newline after': text => `${text}\n`,
  'a line of headers after': text => `${text}\r\nX-Injected: 1`,
  'NUL after': text => `${text}\u0000`,
  'NUL inside': text => inside(text, '\u0000'),
  'a bell inside': text => inside(text, '\u0007'),
  'DEL after': text => `${text}\u007f`,
  'a byte order mark before': text => `\ufeff${text}`,
  'a zero-width space inside': text => inside(text, '\u200b'),
  'a zero-width joiner after': text => `${text}\u200d`,
  'a soft hyphen inside': text => inside(text, '\u00ad'),
  'written from right to left': text => `\u202e${text}`,
  'a line separator after': text => `${text}\u2028`,
  'a no-break space before': text => `\u00a0${text}`,
  'an accent over the first letter': text => inside(text, '\u0301'),
  'full-width letters': text =>
    text.replace(/[!-~]/g, letter => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  'Cyrillic look-alikes': text => text.replace(/[aceopxy]/g, letter => CYRILLIC[letter] ?? letter),
  'Arabic digits': text => text.replace(/[0-9]/g, digit => String.fromCharCode(digit.charCodeAt(0) + 0x630)),
  'mathematical digits': text =>
    text.replace(/[0-9]/g, digit => String.fromCodePoint(digit.charCodeAt(0) + 0x1d79e)),
  'Kelvin and dotless letters': text => text.replace(/k/gi, '\u212a').replace(/i/gi, '\u0131'),
  'a minus before': text => `-${text}`,
  'a plus before': text => `+${text}`,
  'a nought before': text => `0${text}`,
  'a dot after': text => `${text}.`,
  'an exponent after': text => `${text}e0`,
  'an underscore inside': text => inside(text, '_'),
  'a comma inside': text => inside(text, ','),
  'a quote after': text => `${text}'`,
  'a condition after': text => `${text}' or '1'='1`,
  'a statement after': text => `${text}; select pg_sleep(9)`,
  'in quotes': text => `"${text}"`,
  'in brackets': text => `[${text}]`,
  'in braces': text => `{${text}}`,
  'in a tag': text => `<b>${text}</b>`,
  'in a template': text => `\${${text}}`,
  'as a list': text => `${text},${text}`,
  'twice in a row': text => text + text,
  'the first character gone': text => text.slice(1),
  'the last character gone': text => text.slice(0, -1),
  'one character more': text => `${text}x`,
  backwards: text => [...text].reverse().join(''),
  'a folder up before': text => `../${text}`,
  'a backslash after': text => `${text}\\`,
  'a slash after': text => `${text}/`,
  'a semicolon after': text => `${text};${text}`,
  'a wildcard after': text => `${text}%`,
  'encoded twice': text => encodeAll(text),
  'as an entity': text => text.replace(/^./, letter => `&#${letter.charCodeAt(0)};`),
  'as an escape': text =>
    text.replace(/^./, letter => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  '300 characters': text => text.padEnd(300, 'x'),
  '4,000 characters': text => text.padEnd(4_000, '0'),
};

const CYRILLIC: Readonly<Record<string, string>> = {
  ...{ a: '\u0430', c: '\u0441', e: '\u0435', o: '\u043e', p: '\u0440', x: '\u0445', y: '\u0443' },
};

function inside(text: string, what: string): string {
  return text.slice(0, 1) + what + text.slice(1);
}

/** Every byte by its number, those that need it not as well. */
export function encodeAll(text: string): string {
  return [...Buffer.from(text)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** What chance puts into a text. */
const ALPHABET = [
  ...'abkzABKZ0159 .,;:-_+*/\\|!?"\'`$%&#@()[]{}<>=~^\t\n\r\u0000\u0008\u001b\u007f\u0085',
  ...[
    '\u00a0',
    '\u00ad',
    '\u0130',
    '\u0131',
    '\u017f',
    '\u0300',
    '\u0435',
    '\u0660',
    '\u06f5',
    '\u0966',
    '\u200b',
    '\u200e',
  ],
  ...[
    '\u2028',
    '\u202e',
    '\u2066',
    '\u2212',
    '\u212a',
    '\u3000',
    '\uff11',
    '\uff45',
    '\ufeff',
    '\ufffd',
    '\uffff',
    '🇩',
    '𝟏',
  ],
  ...[
    '__proto__',
    'constructor',
    '%00',
    '%2e',
    '&#48;',
    '\\u0000',
    'null',
    'true',
    'NaN',
    '1e9',
    '\r\n',
    "' or 1=1 --",
    '${',
    '{{',
  ],
];

const MOST_EDITS = 3;

/** Changes a text in one to three places, as chance has it. */
export function mutate(text: string, chance: Chance): string {
  let changed = text;
  for (let edits = chance.whole(1, MOST_EDITS); edits > 0; edits--) changed = edit(changed, chance);
  // Halves of characters cannot be sent; what replaces them can.
  return Buffer.from(changed).toString();
}

function edit(text: string, chance: Chance): string {
  const letters = [...text];
  const at = chance.whole(0, letters.length);
  const put = (count: number, ...what: string[]) => letters.toSpliced(at, count, ...what).join('');
  switch (chance.whole(0, 6)) {
    case 0:
      return put(0, chance.pick(ALPHABET));
    case 1:
      return put(1, chance.pick(ALPHABET));
    case 2:
      return put(chance.whole(1, 4));
    case 3:
      return put(0, ...letters.slice(at, at + chance.whole(1, 8)));
    case 4:
      return put(0, chance.pick(ALPHABET).repeat(chance.whole(1, 64)));
    case 5:
      return [...letters.slice(at), ...letters.slice(0, at)].join('');
    default:
      return (MUTATIONS[chance.pick(Object.keys(MUTATIONS))] as Mutation)(text);
  }
}
