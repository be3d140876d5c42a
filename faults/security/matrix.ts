/** X1, the matrix of access: every route with every kind of proof, and the one answer that each of them may get. */
import type { Credentials } from '../../src/app/accounts.ts';
import { each } from '../bed/client.ts';
import type { Line } from '../report.ts';
import type { Caller } from './caller.ts';
import { ROUTES, type Route } from './routes.ts';
import type { Scene } from './scene.ts';

/** How somebody says who they are. */
interface Claim {
  name: string;
  headers: readonly (readonly [string, string])[];
  /** What its key is worth: none was sent, one that opens nothing, one's own, another account's, or more than may be sent. */
  key: 'none' | 'bad' | 'own' | 'other' | 'twice' | 'huge';
  /** Whether the secret is one of the key's account. */
  proves: boolean;
}

const AT_ONCE = 8;
/** So many of the proofs, picked anew for each route, when everything is small. */
const FEW = 8;

export async function tryMatrix(scene: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const examples: string[] = [];
  const lines = [
    await tryAll(scene, { caller: scene.caller, anonymous: true, examples }),
    await tryAll(scene, { caller: scene.closed, anonymous: false, examples }),
  ];
  return { lines, examples };
}

interface Trial {
  caller: Caller;
  /** Whether calls without a key are served. */
  anonymous: boolean;
  examples: string[];
}

async function tryAll(scene: Scene, { caller, anonymous, examples }: Trial): Promise<Line> {
  const served = await readDocument(caller);
  const claims = claimsOf(scene);
  const unknown = served.filter(name => !ROUTES[name]);
  const gone = Object.keys(ROUTES).filter(name => !served.includes(name));
  const found: string[] = [
    ...unknown.map(name => `${name} is not in the table`),
    ...gone.map(name => `${name} is not served`),
  ];
  let count = 0;
  await each(Object.entries(ROUTES), AT_ONCE, async ([name, route]) => {
    for (const claim of scene.world.small ? scene.world.chance.shuffle(claims).slice(0, FEW) : claims) {
      const wanted = expected(route, claim, anonymous);
      const status = await tryOne(scene, caller, { name, route, claim });
      count++;
      if (status !== wanted) found.push(`${name} with ${claim.name}: ${status} instead of ${wanted}`);
    }
  });
  examples.push(...found);
  return {
    fault: 'X1',
    what: `routes × proofs, calls without a key ${anonymous ? 'served' : 'refused'}`,
    count,
    violations: found.length,
    worst: `${served.length} routes, ${claims.length} proofs`,
  };
}

/** Methods and paths as the interface's own document has them. */
async function readDocument(caller: Caller): Promise<string[]> {
  const { text } = await caller.call({ path: '/openapi.json' });
  const { paths } = JSON.parse(text) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  );
}

interface Attempt {
  name: string;
  route: Route;
  claim: Claim;
}

async function tryOne({ things }: Scene, caller: Caller, { name, route, claim }: Attempt): Promise<number> {
  const [method = '', documented = ''] = name.split(' ');
  const path = (await route.path?.(things)) ?? documented;
  const headers = [...claim.headers, ...(route.headers ?? [])];
  const body = route.body?.(things);
  const { status } = await caller.call({ method, path, headers, ...(body !== undefined && { body }) });
  return status;
}

function expected({ access, good, other = good }: Route, { key, proves }: Claim, anonymous: boolean): number {
  if (key === 'huge') return 431;
  if (key === 'twice') return 400;
  if (access === 'hook') return good;
  if (key === 'bad') return 401;
  if (key === 'none') return access === 'open' || (access === 'account' && anonymous) ? good : 401;
  if (access === 'secret' && !proves) return 401;
  return key === 'own' ? good : other;
}

function claimsOf({ own, other, revoked }: Scene): Claim[] {
  const { publicKey, secret } = own;
  const key = (value: string) => ['authorization', value] as const;
  const word = (value: string) => ['x-service-secret', value] as const;
  const bad = (name: string, value: string): Claim => ({
    ...{ name, headers: [key(value), word(secret)], key: 'bad', proves: false },
  });
  const with1 = (name: string, ...headers: Claim['headers']): Claim => ({
    ...{ name, headers: [key(publicKey), ...headers], key: 'own', proves: false },
  });
  return [
    { name: 'nothing', headers: [], key: 'none', proves: false },
    { name: 'the secret alone', headers: [word(secret)], key: 'none', proves: false },
    bad('a blank key', ''),
    bad('a key of blanks', '   '),
    bad('garbage', 'garbage'),
    bad('Bearer and nothing', 'Bearer '),
    bad('Basic and nothing', 'Basic'),
    bad('the key twice in one header', `${publicKey}, ${publicKey}`),
    bad('the key in another case', flipCase(publicKey)),
    bad('the key cut short', publicKey.slice(0, -1)),
    bad('the key and a blank', `Bearer  ${publicKey}`),
    bad('letters above ASCII', 'pk_test_\u00e9\u00ff'),
    bad('the name of nobody’s account', 'public'),
    bad('a name of every object', '__proto__'),
    bad('a revoked key', revoked.publicKey),
    bad('the secret as key', secret),
    { ...bad('a revoked key', ''), headers: proofHeaders(revoked), name: 'a revoked key and its secret' },
    {
      ...bad('two', ''),
      headers: [key(publicKey), key(publicKey), word(secret)],
      key: 'twice',
      name: 'two keys',
    },
    {
      ...bad('two', ''),
      ...{
        headers: [key('garbage'), key(publicKey), word(secret)],
        key: 'twice',
        name: 'garbage and the key',
      },
    },
    { ...bad('', ''), headers: [key('x'.repeat(8_192))], key: 'huge', name: 'a key of 8 kB' },
    with1('the key without its secret'),
    with1('the key and a blank secret', word('')),
    with1('the key and a wrong secret', word('sk_wrong')),
    with1('the key and its secret in another case', word(flipCase(secret))),
    with1('the key and another account’s secret', word(other.secret)),
    with1('the key and its public key as secret', word(publicKey)),
    with1('the key and two secrets', word(secret), word(other.secret)),
    with1('the key and its secret twice', word(secret), word(secret)),
    with1('the key and two secrets by two names', word(secret), ['x-onramper-secret', 'sk_wrong']),
    with1('the key and a secret above ASCII', word('sk_\u00e9')),
    { ...with1('key and secret', word(secret)), proves: true },
    { ...with1('key and secret, by its other name', ['x-onramper-secret', secret]), proves: true },
    { ...with1('Bearer', word(secret)), headers: [key(`Bearer ${publicKey}`), word(secret)], proves: true },
    { ...with1('Basic', word(secret)), headers: [key(`Basic ${publicKey}`), word(secret)], proves: true },
    { name: 'another account’s key', headers: [key(other.publicKey)], key: 'other', proves: false },
    {
      ...{ name: 'another account’s key and this one’s secret', key: 'other', proves: false },
      headers: [key(other.publicKey), word(secret)],
    },
    { name: 'another account’s key and secret', headers: proofHeaders(other), key: 'other', proves: true },
  ];
}

function proofHeaders({ publicKey, secret }: Credentials): Claim['headers'] {
  return [
    ['authorization', publicKey],
    ['x-service-secret', secret],
  ];
}

function flipCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}
