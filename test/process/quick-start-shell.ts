/** A shell as a reader has it open: commands one after the other, and some that go on running. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Shell {
  /** Runs commands to their end; what they printed. Throws when they failed. */
  run(commands: string): Promise<string>;
  /** Starts a command that goes on running. */
  keep(command: string): Promise<Kept>;
  close(): void;
}

export interface Kept {
  /** What it has printed so far. */
  printed(): string;
  end(): Promise<void>;
}

const PATIENCE_MS = 90_000;
const BEAT_MS = 50;

export function openShell(folder: string, env: Record<string, string>): Shell {
  const bash = spawn('bash', { cwd: folder, env, stdio: ['pipe', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  bash.stdout.setEncoding('utf8').on('data', chunk => {
    out += chunk;
  });
  bash.stderr.setEncoding('utf8').on('data', chunk => {
    err += chunk;
  });
  // Each job has a group of its own, so that all of it can be ended.
  bash.stdin.write('set -m\n');

  async function run(commands: string): Promise<string> {
    const mark = randomUUID();
    const from = [out.length, err.length] as const;
    bash.stdin.write(`{ ${commands}\n}\nprintf '%s %d\\n' ${mark} $?\n`);
    const end = new RegExp(`${mark} (\\d+)\\n`);
    await until(
      () => end.test(out.slice(from[0])),
      () => `no end of\n${commands}\n${out.slice(from[0])}`,
    );
    const [printed = '', code] = out.slice(from[0]).split(end);
    if (code !== '0') throw new Error(`${commands}\nended with ${code}\n${printed}\n${err.slice(from[1])}`);
    return printed;
  }

  return {
    run,
    async keep(command) {
      const file = join(folder, `.kept-${randomUUID()}`);
      // The job opens it in its own time; whoever looks before finds nothing printed.
      writeFileSync(file, '');
      const pid = Number(await run(`( ${command} ) > ${file} 2>&1 & echo $!`));
      return { printed: () => readFileSync(file, 'utf8'), end: () => endGroup(pid) };
    },
    close: () => bash.stdin.end(),
  };
}

/** Asks it to end, and waits until nothing of it is left. */
async function endGroup(pid: number): Promise<void> {
  const isThere = (signal: NodeJS.Signals | 0) => {
    try {
      return process.kill(-pid, signal);
    } catch {
      return false;
    }
  };
  isThere('SIGTERM');
  await until(
    () => !isThere(0),
    () => `process ${pid} does not end`,
  );
}

export async function until(isSo: () => boolean, trouble: () => string): Promise<void> {
  for (const end = Date.now() + PATIENCE_MS; !isSo(); ) {
    if (Date.now() > end) throw new Error(trouble());
    await new Promise(resolve => setTimeout(resolve, BEAT_MS));
  }
}
