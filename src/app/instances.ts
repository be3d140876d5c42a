/** Added providers: what an operator may add, and when it may be taken away again. */
import { badInput, Fault } from '../domain/fault.ts';
import type { ProviderId } from '../domain/words.ts';
import type { Database } from '../store/database.ts';
import {
  addInstance,
  countUnfinished,
  listInstances,
  removeInstance,
  type StoredInstance,
} from '../store/instances.ts';

/** What an operator says of a provider that is to be added. */
export interface Addition {
  protocol: string;
  id: string;
  url: string;
  pagesUrl: string | undefined;
  name: string | undefined;
}

/** What there is already, and what may be spoken. */
export interface Known {
  providers: readonly string[];
  protocols: readonly string[];
}

const ID = /^[a-z][a-z0-9-]{1,31}$/;
const NAME = /^[^\p{Cc}<>"]{1,60}$/u;
const LONGEST_URL = 300;

export async function addProvider(database: Database, instance: StoredInstance): Promise<StoredInstance> {
  if (!(await addInstance(database, instance))) throw taken(instance.id);
  return instance;
}

/** Checks it all, without asking anybody. */
export function readAddition({ protocol, id, url, pagesUrl, name }: Addition, known: Known): StoredInstance {
  if (!known.protocols.includes(protocol))
    throw badInput('protocol', `no protocol is named ${protocol}: there is ${known.protocols.join(', ')}`);
  if (!ID.test(id))
    throw badInput('id', 'id must be 2 to 32 small letters, digits and dashes, a letter first');
  if (known.providers.includes(id)) throw taken(id);
  const shown = name ?? id.charAt(0).toUpperCase() + id.slice(1);
  if (!NAME.test(shown)) throw badInput('name', 'name must be a line of at most 60 characters');
  const apiUrl = readBase(url, 'url');
  return {
    id: id as ProviderId,
    protocol,
    name: shown,
    apiUrl,
    pagesUrl: pagesUrl === undefined ? new URL(apiUrl).origin : readBase(pagesUrl, 'pages-url'),
  };
}

function taken(id: string): Fault {
  return new Fault('conflict', `there is a provider named ${id} already`, 'id');
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** A base URL without a slash at its end: https, but for what runs on this machine. */
function readBase(text: string, field: string): string {
  const url = text.length <= LONGEST_URL && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) throw badInput(field, `${field} must be a URL of at most ${LONGEST_URL} characters`);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && LOOPBACK.test(url.hostname)))
    throw badInput(field, `${field} must begin with https://, but for what runs on this machine`);
  if (url.username || url.password || url.search || url.hash || /[?#]$/.test(text))
    throw badInput(field, `${field} must hold no user, query or fragment`);
  if (/\.invalid\.?$/.test(url.hostname)) throw badInput(field, `${field} names a host that cannot exist`);
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Takes it away, unless people are at it; `force` leaves their orders to themselves. */
export async function removeProvider(
  database: Database,
  id: string,
  { force }: { force: boolean },
): Promise<{ unfinished: number }> {
  const found = (await listInstances(database)).find(instance => instance.id === id.toLowerCase());
  if (!found) throw badInput('id', `${id} is no provider that was added`);
  const unfinished = await countUnfinished(database, found.id);
  if (unfinished > 0 && !force)
    throw new Fault(
      'conflict',
      `${found.id} has ${unfinished} unfinished ${unfinished === 1 ? 'transaction' : 'transactions'}: disable it and wait, or use --force`,
      'id',
    );
  await removeInstance(database, found.id);
  return { unfinished };
}
