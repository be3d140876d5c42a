/** The command line: `cloverleaf serve | account | provider | openramp | transaction | webhook | inbox | sandbox | backup | restore`. */
import { Command } from 'commander';
import about from '../../package.json' with { type: 'json' };
import { type Config, ConfigFault, readConfig } from '../config.ts';
import { Fault } from '../domain/fault.ts';
import { EmbeddedFault } from '../store/embedded.ts';
import { accountCommands } from './accounts.ts';
import { backupCommands } from './backup.ts';
import { inboxCommands } from './inbox.ts';
import { openrampCommands } from './openramp.ts';
import { providerCommands } from './providers.ts';
import { sandboxCommands } from './sandbox.ts';
import { serve } from './serve.ts';
import { explainLost } from './store.ts';
import { transactionCommands } from './transactions.ts';
import { webhookCommands } from './webhooks.ts';

const program = new Command('cloverleaf').description(about.description).version(about.version);
const config = (): Config => readConfig();

program
  .command('serve')
  .description('run the service')
  .action(() => serve(config()));
accountCommands(program, config);
providerCommands(program, config);
openrampCommands(program);
transactionCommands(program, config);
webhookCommands(program, config);
inboxCommands(program, config);
sandboxCommands(program, config);
backupCommands(program, config);

program.parseAsync().catch((error: unknown) => {
  console.error(`cloverleaf: ${explain(error)}`);
  process.exit(1);
});

/** One line an operator can act on; a stack only for what should never happen. */
function explain(error: unknown): string {
  if (error instanceof Fault || error instanceof ConfigFault || error instanceof EmbeddedFault)
    return error.message;
  const { message, stack } = error as Error;
  return explainLost(error) ?? stack ?? message;
}
