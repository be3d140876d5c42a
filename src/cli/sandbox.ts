/** `cloverleaf sandbox …`: makes stand-ins of providers misbehave and behave again, and plays the people who use them. */
import { Argument, type Command } from 'commander';
import { type Config, hostInUrl } from '../config.ts';
import { badInput, Fault } from '../domain/fault.ts';
import { ENDINGS, type Ending, playOrder } from './sandbox-order.ts';

/** As the sandbox has it. */
const MOST_MS = 60_000;

export function sandboxCommands(program: Command, config: () => Config): void {
  const sandbox = program.command('sandbox').description('the local stand-ins of providers');

  sandbox
    .command('fault')
    .argument('<provider>', 'provider id')
    .argument('<kind>', 'what goes wrong; none sets it right')
    .option('--ms <milliseconds>', 'with slow and webhooks-late: how long it takes', '3000')
    .description('make a stand-in misbehave')
    .action(async (provider: string, kind: string, { ms }: { ms: string }) => {
      if (!/^[1-9]\d{0,4}$/.test(ms) || Number(ms) > MOST_MS)
        throw badInput('ms', `--ms must be 1 to ${MOST_MS} milliseconds`);
      await call(config(), 'PUT', `/_faults/${encodeURIComponent(provider)}`, { kind, ms: Number(ms) });
      console.log(kind === 'none' ? `${provider} behaves` : `${provider} now has the fault ${kind}`);
    });

  sandbox
    .command('faults')
    .description('which faults are on, and which there are')
    .action(async () => {
      console.log(JSON.stringify(await call(config(), 'GET', '/_faults'), undefined, 2));
    });

  sandbox
    .command('order')
    .argument('<url>', 'the url that the checkout answered')
    .addArgument(new Argument('[end]', 'what comes of it').choices([...ENDINGS]).default('complete'))
    .description('play the person who pays, at the stand-in’s own pages')
    .action(async (url: string, ending: Ending) => {
      await playOrder(url, ending, status => console.log(status));
    });
}

async function call({ host, port }: Config, method: string, path: string, body?: object): Promise<unknown> {
  const url = `http://${hostInUrl(host)}:${port + 1}${path}`;
  const absent = () => {
    throw new Fault('unavailable', `no sandbox answers at ${url}: is the service running with SANDBOX on?`);
  };
  const response = await fetch(url, { method, ...(body && { body: JSON.stringify(body) }) }).catch(absent);
  // Something else may listen there.
  const answer = (await response.json().catch(absent)) as { message?: string };
  if (!response.ok) throw new Fault('badInput', answer.message ?? `the sandbox answered ${response.status}`);
  return answer;
}
