/** A service with one provider of a test's own making, which answers what the test says and calls nobody. */
import { createHmac } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, createAccount, findAccount } from '../../src/app/accounts.ts';
import { readConfig } from '../../src/config.ts';
import { decimal, ZERO } from '../../src/domain/money.ts';
import type { MethodId, NetworkId, ProviderId } from '../../src/domain/words.ts';
import { startService } from '../../src/main.ts';
import type { Adapter, Hint, Manifest, NativeOrder, Notice } from '../../src/providers/contract.ts';
import { keepLog, makeDatabase, type Reply, UNLIMITED } from '../service.ts';
import { getter, type Instance, MASTER_KEY, poster } from './world.ts';
import { writeOrder } from './world-orders.ts';

/** Checkouts only name providers of the registry, so that it takes the name of one. */
const OWN = 'mercuryo' as ProviderId;

export interface OwnWorld extends Instance {
  /** Where it was asked from, in its order. */
  places: string[];
  account: Account;
  secret: string;
  /** Everything that the provider was asked, in its order. */
  asked: { id: string; theirs: string | undefined; access: string | undefined; at: number }[];
  /** What it answers about an order, by our reference. */
  answers: Map<string, Notice[]>;
  /** An order that was opened, and is not looked up for an hour. */
  opened(more?: Parameters<typeof writeOrder>[2]): Promise<string>;
  /** Sends it a delivery, proven or not. */
  tell(body: unknown, proven?: boolean): Promise<Reply>;
}

const KEY = 'a secret of its own';

/** A delivery: notices, which are read when it is proven, and orders that it may be about. */
export interface OwnDelivery {
  notices?: Notice[];
  hints?: Hint[];
}

export async function startOwnWorld(): Promise<OwnWorld> {
  const asked: OwnWorld['asked'] = [];
  const answers: OwnWorld['answers'] = new Map();
  const places: OwnWorld['places'] = [];
  const dataDir = await mkdtemp(join(tmpdir(), 'cloverleaf-own-'));
  const { url: databaseUrl, drop } = await makeDatabase();
  const { logTo, logged } = keepLog();
  const config = readConfig({
    ...UNLIMITED,
    PORT: '0',
    DATA_DIR: dataDir,
    DATABASE_URL: databaseUrl,
    MASTER_KEY,
  });
  const service = await startService(config, {
    logTo,
    plans: [{ adapter: adapterOf({ asked, answers, places }), standinSettings: {} }],
    sandboxUrl: 'http://127.0.0.1:9',
  });
  const { publicKey, secret } = await createAccount(service.database, { name: 'own', environment: 'test' });
  const account = (await findAccount(service.database, publicKey)) as Account;
  const at: Instance = { ...service, get: getter(service.url), post: poster(service.url), logged };
  return {
    ...at,
    account,
    secret,
    asked,
    answers,
    places,
    opened: more => writeOrder(at, account, { provider: OWN, opened_at: new Date(), ...more }),
    tell(body, proven = false) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const signature = createHmac('sha256', KEY).update(text).digest('hex');
      return at.post(`/hooks/${OWN}`, text, proven ? { 'x-signature': signature } : {});
    },
    async close() {
      await service.close();
      await drop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

const MANIFEST: Manifest = {
  id: OWN,
  name: 'Own',
  hosts: { api: { live: 'http://127.0.0.1:9', test: 'http://127.0.0.1:9' } },
  sides: ['buy'],
  pricesDestination: [],
  methods: { card: ['creditcard' as MethodId] },
  networks: { bitcoin: 'bitcoin' as NetworkId, ethereum: 'ethereum' as NetworkId },
  settings: [{ name: 'key', label: 'Key', secret: true, required: false, fallback: KEY }],
  duration: { '*': 600 },
  kyc: [{ asks: ['email'] }],
  checkout: { makes: 'link', opens: 'redirect', pages: { buy: 'api', sell: 'api' }, permissions: [] },
  statuses: {
    open: 'new',
    pending: 'pending',
    paid: 'paid',
    done: 'completed',
    broken: 'failed',
    returned: 'refunded',
  },
  limits: { perSecond: 1e6, burst: 1e6, connections: 1 },
};

function adapterOf({ asked, answers, places }: Pick<OwnWorld, 'asked' | 'answers' | 'places'>): Adapter {
  return {
    manifest: MANIFEST,
    catalog: () => [
      {
        side: 'buy',
        assets: [
          { code: 'BTC', symbol: 'BTC', network: 'bitcoin' },
          { code: 'ETH', symbol: 'ETH', network: 'ethereum', notIn: ['US-NY', 'us-tx', 'FR'] },
        ],
        fiats: ['EUR', 'USD'].map(code => ({ code, methods: [{ code: 'card' }] })),
      },
    ],
    quote({ amount, country, state }) {
      places.push(`${country} ${state}`);
      return { pays: amount, gets: amount.div(decimal(90_000)), networkFee: ZERO, providerFee: ZERO };
    },
    checkout: ({ id }, context) => ({ kind: 'page', url: `${context.base('api')}/${id}` }),
    status({ id, theirs, access }: NativeOrder) {
      asked.push({ id, theirs, access, at: Date.now() });
      return answers.get(id) ?? [];
    },
    webhook: {
      claims: ({ headers, raw }) => [
        {
          how: 'hmac-sha256-hex',
          secret: 'key',
          signed: [raw],
          signature: headers['x-signature'] ?? '',
        },
      ],
      read: ({ text }) => (JSON.parse(text) as OwnDelivery).notices ?? [],
      hints: ({ text }) => (JSON.parse(text) as OwnDelivery).hints ?? [],
    },
  };
}
