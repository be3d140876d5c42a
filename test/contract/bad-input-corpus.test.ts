/** Every parameter of both surfaces with everything that is wrong for it: a 4xx whose JSON names the parameter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Case, casesOf } from '../bad-input/cases.ts';
import { currentTable } from '../bad-input/current-table.ts';
import { earlierTable } from '../bad-input/earlier-table.ts';
import { judgeAll } from '../bad-input/judge.ts';
import { type Line, openLine } from '../bad-input/line.ts';
import { DEAF_HOST, makeLive } from '../bad-input/live.ts';
import { type Live, type Spot, spotsOf, type Table } from '../bad-input/parameter.ts';
import { bodyCases, keyCases } from '../bad-input/wholes.ts';
import { startTestService, type TestService } from '../service.ts';
import type { Document, Operation } from './answers.ts';
import { PROVIDERS } from './world.ts';

const CONNECTIONS = 8;

let service: TestService;
let lines: Line[];
let live: Live;
const pristine = Object.getOwnPropertyNames(Object.prototype).sort().join();

beforeAll(async () => {
  service = await startTestService({ WEBHOOK_ALLOWED_HOSTS: DEAF_HOST }, { only: PROVIDERS });
  lines = Array.from({ length: CONNECTIONS }, () => openLine(service.url));
  live = await makeLive(lines[0] as Line, service.account);
});
afterAll(async () => {
  for (const line of lines ?? []) line.close();
  await service?.close();
});

/** The tables without a service: names and kinds are the same whatever it gives out. */
const NOBODY: Live = {
  ...{ key: '', secret: '', transactionId: '', cursor: '', webhookId: '', eventId: '', stepToken: '' },
};
/** Of parameters whose kind was gone through elsewhere, one case in so many is tried; the fault run tries all. */
const SHARE = 12;

let count = 0;
const known = new Set<string>();

function expectJudged(name: string, tableOf: (live: Live) => Table): void {
  describe(name, () => {
    for (const [serial, { at, place, name, parameter }] of spotsOf(tableOf(NOBODY)).entries()) {
      const isFirst = !known.has(parameter.kind.name);
      known.add(parameter.kind.name);
      test(`4xx names ${name} of the ${place} of ${at}`, async () => {
        const all = casesOf(spotsOf(tableOf(live))[serial] as Spot, live);
        await expectRefused(all.filter((_, at) => isFirst || at % SHARE === serial % SHARE));
      });
    }

    test('4xx names the body, or what is wrong with how it is sent', () =>
      expectRefused(bodyCases(tableOf(live), live)));
  });
}

/** Or taken, where there is a reason. */
async function expectRefused(cases: readonly Case[]): Promise<void> {
  count += cases.length;
  expect(cases.length).toBeGreaterThan(3);
  expect(await judgeAll(cases, lines)).toEqual([]);
}

expectJudged('the current surface', currentTable);
expectJudged('the earlier surface', earlierTable);

test('401 for every key and secret but the right ones, wherever one is needed', async () => {
  const needs = new Map(
    operationsOf(await readDocument()).map(([at, { security = [] }]) => [at, security.flatMap(Object.keys)]),
  );
  const cases = keyCases({ ...currentTable(live), ...earlierTable(live) }, needs, live);
  expect(cases.length).toBeGreaterThan(200);
  await expectRefused(cases);
});

test('more than 2,000 cases, and every parameter that is documented has its place in the tables', async () => {
  expect(count).toBeGreaterThan(2_000);
  const documented = operationsOf(await readDocument()).flatMap(([at, operation]) =>
    documentedAt(at, operation),
  );
  const ours = [...spotsOf(currentTable(live)), ...spotsOf(earlierTable(live))];
  const placed = new Set(ours.map(({ at, place, name }) => `${at} ${place} ${name}`));
  expect(documented.length).toBeGreaterThan(100);
  expect(documented.filter(parameter => !placed.has(parameter))).toEqual([]);
});

async function readDocument(): Promise<Document> {
  return (await service.get('/openapi.json')).body;
}

function operationsOf({ paths }: Document): [at: string, operation: Described][] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Described] => [`${method} ${path}`, operation]),
  );
}

/** Tags of what belongs to neither surface: pages that people see, and what operators and providers use. */
const ELSEWHERE = ['Pay page', 'Widget', 'Operations', 'Pages', 'Sandbox'];

function documentedAt(at: string, { tags = [], parameters = [], requestBody }: Described): string[] {
  if (tags.some(tag => ELSEWHERE.includes(tag))) return [];
  const schema = requestBody?.content['application/json']?.schema;
  return [
    ...parameters.map(parameter => `${at} ${parameter.in} ${parameter.name}`),
    ...membersOf(schema).map(way => `${at} body ${way}`),
  ];
}

type Described = Operation & { tags?: string[]; security?: Record<string, unknown>[] };

interface Schema {
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}

/** The ways to all members that a body may have. */
function membersOf(schema: Schema | undefined): string[] {
  const all = [schema, ...(schema?.anyOf ?? [])].flatMap(one => Object.entries(one?.properties ?? {}));
  return all.flatMap(([name, member]) => [name, ...membersOf(member).map(way => `${name}.${way}`)]);
}

test('200 afterwards: the service answers, nothing was 5xx, and no prototype was touched', async () => {
  expect(Object.getOwnPropertyNames(Object.prototype).sort().join()).toBe(pristine);
  expect('polluted' in {}).toBe(false);
  expect((await service.get('/quotes/eur/btc?amount=100&country=de')).body.length).toBe(PROVIDERS.length);
  expect((await service.get('/metrics')).text).not.toMatch(
    /cloverleaf_request_seconds_count\{[^}]*status="5/,
  );
  expect(service.logged()).not.toContain('unexpected error');
});
