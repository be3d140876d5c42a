/** A reader who follows a document word for word: saves its files, types its commands, and compares what is printed. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Block } from '../docs.ts';
import { type Kept, openShell, until } from './quick-start-shell.ts';

export interface Surroundings {
  /** The folder that documents take for granted. */
  folder: string;
  env: Record<string, string>;
  /** What stands in documents, and what it is here. */
  instead: Readonly<Record<string, string>>;
}

export interface Reader {
  follow(blocks: readonly Block[]): Promise<void>;
  /** What the last commands printed. */
  printed(): string;
  /** Ends everything that was started. */
  leave(): Promise<void>;
}

export function createReader({ folder, env, instead }: Surroundings): Reader {
  const shell = openShell(folder, env);
  const kept: Kept[] = [];
  let printed = () => '';

  async function act(block: Block): Promise<void> {
    const text = adapt(block.text, instead);
    if (block.file !== undefined) writeFileSync(join(folder, block.file), `${text}\n`);
    else if (block.language === 'js') await shell.run(`node ${await saveScript(text, folder)}`);
    else if (block.language === 'text') await compare(block, text);
    else if (block.language === 'sh' && block.stays) {
      const started = await shell.keep(text);
      kept.push(started);
      printed = started.printed;
    } else if (block.language === 'sh') {
      const answer = await shell.run(text);
      if (answer.includes('"errorId":')) throw new Error(`${block.place} was refused: ${answer}`);
      printed = () => answer;
    }
  }

  /** What goes on running may take its time; a block that says `receiver` is about the last of those. */
  async function compare({ place, rest }: Block, text: string): Promise<void> {
    const found = rest === '' ? printed : (kept.at(-1)?.printed ?? printed);
    const pattern = patternOf(text);
    await until(
      () => pattern.test(found()),
      () => `${place} shows\n${text}\nbut there was\n${found()}`,
    );
  }

  return {
    async follow(blocks) {
      for (const block of blocks) if (block.unrun === undefined) await act(block);
    },
    printed: () => printed(),
    async leave() {
      for (const one of kept.reverse()) await one.end();
      shell.close();
    },
  };
}

/** Saves a script that can be run where it is, with the client as it would be installed. */
async function saveScript(text: string, folder: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: text, resolveDir: folder },
    alias: { '@cloverleaf/client': join(folder, 'client/src/index.ts') },
    external: ['node:*', 'standardwebhooks'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  const name = `block-${randomUUID()}.mjs`;
  writeFileSync(join(folder, name), outputFiles[0]?.text ?? '');
  return name;
}

function adapt(text: string, instead: Readonly<Record<string, string>>): string {
  return Object.entries(instead).reduce(
    (soFar, [written, actual]) => soFar.replaceAll(written, actual),
    text,
  );
}

/** In what documents show, `…` may be anything on its line, or by itself any lines. */
function patternOf(text: string): RegExp {
  const lines = text.split('\n').map(line => {
    if (line === '…') return '[\\s\\S]*?';
    const parts = line.split('…').map(part => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
    return `${parts.join('[^\\n]*')}(?:\\n|$)`;
  });
  return new RegExp(lines.join(''));
}
