/** Options: what was said on the command line of a run, or how to say it. */
import { type ParseArgsConfig, parseArgs } from 'node:util';

/** What was said. Ends the process with the usage when that was asked for, or when something was said that means nothing. */
export function readOptions<T extends ParseArgsConfig>(
  usage: string,
  config: T,
): ReturnType<typeof parseArgs<T>> {
  if (process.argv.slice(2).some(word => word === '--help' || word === '-h')) {
    console.log(`usage: ${usage}`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return misused(usage, (error as Error).message);
  }
}

/** Ends the process with the usage, and what is wrong where that is known. */
export function misused(usage: string, what?: string): never {
  if (what !== undefined) console.error(what);
  console.error(`usage: ${usage}`);
  process.exit(2);
}
