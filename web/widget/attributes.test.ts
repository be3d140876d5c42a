/** Attributes: every parameter can be given as one, and nothing else that stands on the element says anything to the widget. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readParameters } from '../../src/http/widget/parameters.ts';
import { currencies } from '../../test/browser/pay-world.ts';
import { PARAMETERS, parametersIn } from './attributes.ts';

/** What the service reads; the key is read before the account is known, and the element names its page by itself. */
function readByService(): string[] {
  const names = new Set(['apiKey']);
  const query = new Proxy({}, { get: (_, name) => void names.add(String(name)) });
  readParameters(query, { currencies, isProvider: () => true, redirectHosts: [] });
  names.delete('embedder');
  return [...names].sort();
}

/** What the tables of the document name in their first column. */
function readDocument(): string[] {
  const text = readFileSync(join(import.meta.dirname, '../../docs/widget.md'), 'utf8');
  const [, tables = ''] = text.split(/^## (?:Parameters|Events)$/m);
  const cells = [...tables.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap(cell => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)).sort();
}

describe('attributes', () => {
  it('are all that the service reads and the document names', () => {
    expect(PARAMETERS.toSorted()).toEqual(readByService());
    expect(PARAMETERS.toSorted()).toEqual(readDocument());
  });

  it('are parameters in kebab case', () => {
    const kebab = (name: string) => name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`);
    const attributes = PARAMETERS.map(name => ({ name: kebab(name), value: `of ${name}` }));
    expect(parametersIn(attributes)).toEqual(PARAMETERS.map(name => [name, `of ${name}`]));
  });

  it.each([
    ...['id', 'class', 'style', 'inert', 'popover', 'translate', 'draggable', 'nonce', 'autofocus', 'hidden'],
    ...['v-cloak', 'aria-hidden', 'data-x', 'onclick', '_ngcontent-abc-1', 'x-data', 'embedder', 'api--key'],
  ])('of others are left alone: %s', name => {
    expect(parametersIn([{ name, value: '' }])).toEqual([]);
  });
});
