/** `cloverleaf serve`: starts the service and tells a newcomer where to look. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import closeWithGrace from 'close-with-grace';
import { type Credentials, createAccount } from '../app/accounts.ts';
import type { Config } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { type Service, startService } from '../main.ts';
import { listAccounts } from '../store/accounts.ts';
import type { Database } from '../store/database.ts';

const LONGEST_DRAIN_MS = 10_000;
/** npm passes on to us what the terminal has sent us already: what comes this soon after the first is the same one. */
const SAME_MS = 500;

export async function serve(config: Config): Promise<void> {
  let demo: Credentials | undefined;
  const service = await startService(config, { demoKey: () => demo?.publicKey });
  closeOnSignals(service, config);
  demo = config.sandbox ? await demoAccount(service.database, config.dataDir) : undefined;
  // Whoever reads the welcome may use the key at once.
  if (demo) await service.look();
  console.log(welcome(service, demo));
}

/** Finishes and goes when told to, or when something broke that nobody caught; at once when told twice. */
export function closeOnSignals(
  service: Pick<Service, 'retire' | 'close'>,
  { stopNoticeMs }: Pick<Config, 'stopNoticeMs'>,
): void {
  let told: NodeJS.Signals | undefined;
  let since: number | undefined;
  const options = { delay: stopNoticeMs + LONGEST_DRAIN_MS, logger: false, skip: SIGNALS } as const;
  const { close } = closeWithGrace(options, async ({ err }) => {
    since = performance.now();
    if (err) console.error(err);
    // A balancer looks whether we are ready and sends people elsewhere; whoever presses Ctrl-C has none.
    if (told === 'SIGTERM') {
      service.retire();
      await wait(stopNoticeMs);
    }
    await service.close();
  });
  for (const signal of STOPS)
    process.on(signal, () => {
      if (since === undefined) {
        told = signal;
        close();
      } else if (performance.now() - since > SAME_MS) process.exit(1);
    });
}

const STOPS = ['SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGTERM'] as const;
/** Ours to hear, and those of a crash, which come again and again where a process lives on after them. */
const SIGNALS: closeWithGrace.AllEvents[] = [
  ...STOPS,
  ...(['SIGILL', 'SIGTRAP', 'SIGABRT', 'SIGBUS', 'SIGFPE', 'SIGSEGV', 'SIGUSR2'] as const),
];

/** The demo account, made on the first start; its file is the only place its secret can be read again. */
async function demoAccount(database: Database, dataDir: string): Promise<Credentials> {
  const file = join(dataDir, 'demo-account.json');
  const accounts = await listAccounts(database);
  try {
    const known = JSON.parse(await readFile(file, 'utf8')) as Credentials;
    if (accounts.some(({ publicKey, revokedAt }) => publicKey === known.publicKey && !revokedAt))
      return known;
  } catch {
    // No file yet, or not ours: a new account is made.
  }
  await requireWritable(file);
  const made = await createAccount(database, { name: 'demo', environment: 'test' });
  await writeFile(file, `${JSON.stringify(made, undefined, 2)}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
  return made;
}

/** Before there is an account whose secret nobody could read: otherwise every start would leave one more. */
async function requireWritable(file: string): Promise<void> {
  try {
    // With a key and a database of the operator's own there may be no folder yet.
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, '\n', { flag: 'a', mode: 0o600, flush: true });
  } catch (error) {
    throw new Fault('unavailable', `DATA_DIR: ${file} cannot be written (${(error as Error).message})`);
  }
}

function welcome({ url, legacyUrl, sandbox, geoBuiltAt }: Service, demo: Credentials | undefined): string {
  const lines = [
    '',
    '  Cloverleaf is running.',
    '',
    `  API         ${url}`,
    `  Earlier API ${legacyUrl}`,
    ...(sandbox ? [`  Start here  ${url}/`] : []),
    `  Docs        ${url}/docs   (API reference: ${url}/docs/api)`,
    ...(sandbox ? [`  Sandbox     ${sandbox.url}   (local stand-ins of the providers)`] : []),
    `  Countries   by address data of ${geoBuiltAt.toISOString().slice(0, 10)} (IP Geolocation by DB-IP, db-ip.com)`,
  ];
  if (demo) {
    lines.push(
      '',
      '  Demo account',
      `    public key  ${demo.publicKey}`,
      `    secret      ${demo.secret}`,
      '',
      '  Try',
      `    curl '${url}/quotes/eur/btc?amount=100'`,
      `    curl '${url}/quotes/eth/usd?amount=0.5&country=US'`,
      `    curl '${url}/supported'`,
      `    curl -H 'Authorization: ${demo.publicKey}' '${url}/supported/onramps?source=eur&destination=btc'`,
      `    curl '${legacyUrl}/rate/eur/btc/creditCard/100'`,
      `    npx cloverleaf sandbox fault moonpay hang`,
      '',
      '  Buy: post this, then open the url of the answer in a browser',
      `    curl -X POST '${url}/checkout/intent' -H 'Authorization: ${demo.publicKey}' -H 'Content-Type: application/json' \\`,
      `      -d '{"onramp":"moonpay","source":"eur","destination":"btc","amount":100,"wallet":{"address":"bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"}}'`,
      '  and read the record',
      `    curl '${url}/transactions' -H 'Authorization: ${demo.publicKey}' -H 'x-service-secret: ${demo.secret}'`,
    );
  }
  return [...lines, ''].join('\n');
}
