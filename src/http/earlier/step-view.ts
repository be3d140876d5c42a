/** Steps as the clients of the earlier surface read them. */
import type { Turn } from '../../app/flows.ts';

/** `legacyUrl` is where the earlier surface is found by the outside world. */
export function viewStep(turn: Turn, legacyUrl: string): Record<string, unknown> {
  const { provider, step, tokens } = turn;
  return { type: step.type, url: `${legacyUrl}/transaction/${provider}/${step.type}/${tokens[0] ?? ''}` };
}
