/** The core that a worker and its database run on: they take turns, and a turn is handed over most quickly there. */
import { spawnSync } from 'node:child_process';

let chosen: number | undefined;

/** From now on this process, and whoever joins it, runs on one core; where that cannot be said it runs anywhere. */
export function chooseCore(core: number): void {
  chosen = core;
  joinCore(process.pid);
}

export function joinCore(pid: number): void {
  if (chosen !== undefined)
    spawnSync('taskset', ['-p', '-c', String(chosen), String(pid)], { stdio: 'ignore' });
}
