/** JSON texts with what they must be read as, sound ones and damaged ones. */
import fc from 'fast-check';

/** A JSON text and what it must be read as. */
interface Sample {
  text: string;
  value: unknown;
}

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r'), maxLength: 3 });

const numberText = fc
  .tuple(
    fc.boolean(),
    fc.oneof(fc.constant('0'), fc.stringMatching(/^[1-9][0-9]{0,30}$/)),
    fc.option(fc.stringMatching(/^[0-9]{1,30}$/)),
    fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,4}$/)),
  )
  .map(([minus, whole, fraction, exponent]) =>
    [minus ? '-' : '', whole, fraction === null ? '' : `.${fraction}`, exponent ?? ''].join(''),
  );

/** A string as JSON, now and then with every character escaped. */
const stringSample = fc
  .tuple(
    fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom('"', '\\', '1', '-', '/', '\u2028', ',', '{', '}', ':') }),
    ),
    fc.boolean(),
  )
  .map(
    ([value, escaped]): Sample => ({
      text: escaped ? `"${escapeAll(value)}"` : JSON.stringify(value),
      value,
    }),
  );

function escapeAll(text: string): string {
  let escaped = '';
  for (let at = 0; at < text.length; at++) {
    escaped += `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

const samples = fc.letrec<{ any: Sample }>(tie => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Sample>(
      { text: 'null', value: null },
      { text: 'true', value: true },
      { text: 'false', value: false },
    ),
    numberText.map(text => ({ text, value: text })),
    stringSample,
    fc.tuple(space, fc.array(fc.tuple(space, tie('any'), space), { maxLength: 5 })).map(
      ([gap, items]): Sample => ({
        text: `[${items.map(([before, { text }, after]) => before + text + after).join(',') || gap}]`,
        value: items.map(([, { value }]) => value),
      }),
    ),
    fc.tuple(space, fc.array(fc.tuple(space, stringSample, space, tie('any'), space), { maxLength: 5 })).map(
      ([gap, members]): Sample => ({
        text: `{${members.map(([a, key, b, { text }, c]) => `${a}${key.text}${b}:${b}${text}${c}`).join(',') || gap}}`,
        value: Object.fromEntries(members.map(([, key, , { value }]) => [key.value, value])),
      }),
    ),
  ),
})).any;

export const padded = fc
  .tuple(space, samples, space)
  .map(([before, { text, value }, after]) => ({ text: before + text + after, value }));

const scrap = fc.constantFrom(
  ...'"\\{}[]:,-+.eE0129 \n\tntf',
  '\u0000',
  '\ufeff',
  '1e',
  'NaN',
  '//',
  "'",
  '"a":1,',
  '"__proto__":1,',
);

/** JSON with a few characters cut, added or replaced. */
export const damaged = fc
  .tuple(
    padded,
    fc.array(fc.tuple(fc.constantFrom('cut', 'insert', 'replace', 'truncate'), fc.nat(), scrap), {
      minLength: 1,
      maxLength: 3,
    }),
  )
  .map(([sample, damages]) => {
    let { text } = sample;
    for (const [how, where, what] of damages) {
      const at = where % (text.length + 1);
      if (how === 'truncate') text = text.slice(0, at);
      else
        text = text.slice(0, at) + (how === 'cut' ? '' : what) + text.slice(how === 'insert' ? at : at + 1);
    }
    return text;
  });

/** What a parser makes of a text; refusals are all alike. */
export function outcome(parse: (text: string) => unknown, text: string): 'read' | 'refused' {
  try {
    parse(text);
    return 'read';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return 'refused';
  }
}
