/** Tricks: the ways in which what a signed checkout says can be said otherwise after it was signed. */
import { type Members, membersOf, type Said, writeBody } from './signing.ts';

/** A trick played on one field; undefined where it would change nothing. */
export interface Trick {
  name: string;
  /** Whether it leaves what is said as it is: then it may be accepted, as what was signed. */
  isHarmless?: true;
  play(said: Said, field: Field, evil: string): string | undefined;
}

export type Field = keyof Said;

/** The member of the body that a field is in. */
function memberOf(field: Field): string {
  if (field === 'address' || field === 'memo') return 'wallet';
  return field === 'redirect' ? 'supportedParams' : field;
}

/** The body with another value in a field. */
function saying(said: Said, field: Field, value: string): string {
  return writeBody(Object.entries(membersOf({ ...said, [field]: value })));
}

/** The body with another JSON in place of a field. */
function putting(said: Said, field: Field, json: string): string {
  const placeholder = field === 'amount' ? '987654321' : '"\u0001"';
  const value = field === 'amount' ? '987654321' : '\u0001';
  const escaped = field === 'amount' ? placeholder : '"\\u0001"';
  return saying(said, field, value).replace(escaped, () => json);
}

const jsonOf = (field: Field, value: string) => (field === 'amount' ? value : JSON.stringify(value));

/** Another spelling of the value, if it is another. */
const spelling = (name: string, spell: (value: string) => string): Trick => ({
  name,
  play(said, field) {
    const other = spell(said[field]);
    // Around a number JSON may have as many blanks as it likes.
    const isSame =
      field === 'amount' ? other.replace(/[ \t\r\n]/g, '') === said.amount : other === said[field];
    return isSame ? undefined : saying(said, field, other);
  },
});

/** Letters and digits as the wider ones that many take for the same. */
function widen(text: string): string {
  return text.replace(/[!-~]/g, one => String.fromCodePoint((one.codePointAt(0) ?? 0) + 0xfee0));
}

function escapeAll(text: string): string {
  return `"${[...text]
    .flatMap(one => one.split(''))
    .map(unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('')}"`;
}

const entriesOf = (members: Members) => Object.entries(members);

/** The body, with one member said once more: before all others, or after them. */
function twice(said: Said, name: string, text: string, isFirst: boolean): string {
  const entries = entriesOf(membersOf(said));
  return writeBody(isFirst ? [[name, text], ...entries] : [...entries, [name, text]]);
}

const evilMember = (said: Said, field: Field, evil: string) =>
  membersOf({ ...said, [field]: evil })[memberOf(field)] ?? '';

/** A name of JSON with its first letter escaped: another text, and the same name. */
const escapedName = (name: string) =>
  `\\u${name.charCodeAt(0).toString(16).padStart(4, '0')}${name.slice(1)}`;

export const TRICKS: readonly Trick[] = [
  { name: 'another value', play: (said, field, evil) => saying(said, field, evil) },
  { name: 'another value, escaped', play: (said, field, evil) => escapedEvil(said, field, evil) },
  { name: 'null', play: (said, field) => putting(said, field, 'null') },
  { name: 'an empty text', play: (said, field) => putting(said, field, '""') },
  { name: 'left out', play: (said, field) => leaveOut(said, field) },
  {
    name: 'in an object',
    play: (said, field, evil) => putting(said, field, `{"value":${jsonOf(field, evil)}}`),
  },
  { name: 'in a list', play: (said, field, evil) => putting(said, field, `[${jsonOf(field, evil)}]`) },
  {
    name: 'the value in a list',
    play: (said, field) => putting(said, field, `[${jsonOf(field, said[field])}]`),
  },
  {
    name: 'JSON in a text',
    play: (said, field, evil) => putting(said, field, JSON.stringify(jsonOf(field, evil))),
  },
  { name: 'true', play: (said, field) => putting(said, field, 'true') },
  spelling('capitals', value => value.toUpperCase()),
  spelling('small letters', value => value.toLowerCase()),
  spelling('decomposed', value => value.normalize('NFD')),
  spelling('composed', value => value.normalize('NFC')),
  spelling('compatible', value => value.normalize('NFKD')),
  spelling('wide letters', widen),
  spelling('a zero behind', value => (/^[0-9.]+$/.test(value) ? `${value}0` : value)),
  spelling('a zero before', value => (/^[0-9.]+$/.test(value) ? `0${value}` : value)),
  spelling('a dot and a zero', value => (/^[0-9]+$/.test(value) ? `${value}.0` : value)),
  spelling('no zero behind', value => value.replace(/(\.[0-9]*?)0+$/, '$1')),
  spelling('an exponent', value => (/^[0-9.]+$/.test(value) ? `${value}e0` : value)),
  spelling('another exponent', value => (/^[0-9.]+$/.test(value) ? `${Number(value) / 10}E+1` : value)),
  spelling('a blank before', value => ` ${value}`),
  spelling('a blank behind', value => `${value} `),
  spelling('a line end', value => `${value}\n`),
  spelling('a tab', value => `\t${value}`),
  spelling('a NUL', value => `${value}\0`),
  spelling('a blank that is none', value => `${value}\u00a0`),
  spelling('a blank of no width', value => `${value.slice(0, 1)}\u200b${value.slice(1)}`),
  spelling('written backwards', value => `\u202e${value}`),
  spelling('percent-encoded', value => encodeURIComponent(value)),
  spelling('percent-encoded whole', value =>
    [...Buffer.from(value)].map(byte => `%${byte.toString(16)}`).join(''),
  ),
  spelling('percent-decoded', value => decodeURIComponent(value)),
  spelling('a pair appended', value => `${value}&onramp=transak`),
  spelling('a half letter', value => `${value}\ud800`),
  ...[true, false].flatMap(isFirst => [
    {
      name: `twice, the other one ${isFirst ? 'first' : 'last'}`,
      play: (said: Said, field: Field, evil: string) =>
        twice(said, memberOf(field), evilMember(said, field, evil), isFirst),
    },
    {
      name: `twice by an escaped name, the other one ${isFirst ? 'first' : 'last'}`,
      play: (said: Said, field: Field, evil: string) =>
        twice(said, escapedName(memberOf(field)), evilMember(said, field, evil), isFirst),
    },
    {
      name: `in a prototype, ${isFirst ? 'first' : 'last'}`,
      play: (said: Said, field: Field, evil: string) =>
        twice(said, '__proto__', writeBody([[memberOf(field), evilMember(said, field, evil)]]), isFirst),
    },
  ]),
  { name: 'in another order', play: (said, field, evil) => reversed({ ...said, [field]: evil }) },
  { name: 'after a byte order mark', play: (said, field, evil) => `\ufeff${saying(said, field, evil)}` },
  {
    name: 'after the end',
    play: (said, field, evil) => `${saying(said, 'type', said.type)}${saying(said, field, evil)}`,
  },

  { name: 'the same in another order', isHarmless: true, play: said => reversed(said) },
  {
    ...{ name: 'the same, escaped', isHarmless: true },
    play: (said, field) => (field === 'amount' ? undefined : putting(said, field, escapeAll(said[field]))),
  },
  {
    ...{ name: 'the same with blanks between', isHarmless: true },
    play: said =>
      JSON.stringify(
        Object.fromEntries(entriesOf(membersOf(said)).map(([name, text]) => [name, `<${text}>`])),
      )
        .replace(/"<|>"/g, ' \n')
        .replaceAll('\\"', '"')
        .replaceAll('\\\\', '\\'),
  },
  {
    ...{ name: 'beside it, by a name in capitals', isHarmless: true },
    play: (said, field, evil) =>
      twice(said, memberOf(field).toUpperCase(), evilMember(said, field, evil), false),
  },
  {
    ...{ name: 'beside it, deeper down', isHarmless: true },
    play: (said, field, evil) =>
      twice(said, 'metaData', writeBody([[memberOf(field), evilMember(said, field, evil)]]), false),
  },
];

function reversed(said: Said): string {
  return writeBody(entriesOf(membersOf(said)).reverse());
}

function escapedEvil(said: Said, field: Field, evil: string): string | undefined {
  return field === 'amount' ? undefined : putting(said, field, escapeAll(evil));
}

function leaveOut(said: Said, field: Field): string {
  const members = { ...membersOf(said) };
  if (memberOf(field) === field) delete members[field];
  else if (field === 'redirect') delete members.supportedParams;
  else members.wallet = JSON.stringify(field === 'memo' ? { address: said.address } : { memo: said.memo });
  return writeBody(entriesOf(members));
}
