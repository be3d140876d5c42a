/** Pay pages followed live: whoever is told that a stream has ended opens it again, as browsers do. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, checkOut, checkoutLetter } from '../bed/client.ts';
import type { World } from '../bed/world.ts';

export interface Followed {
  counts: { opened: number; ended: number; failed: readonly string[] };
  stop(): Promise<void>;
}

export async function followPages({
  world,
  client,
  count,
}: {
  world: World;
  client: Client;
  count: number;
}): Promise<Followed> {
  const stopped = new AbortController();
  const failed: string[] = [];
  const counts = { opened: 0, ended: 0, failed };

  async function follow(path: string): Promise<void> {
    while (!stopped.signal.aborted) {
      try {
        const reply = await fetch(client.url + path, {
          headers: { accept: 'text/event-stream' },
          signal: stopped.signal,
        });
        counts.opened++;
        const text = await reply.text();
        counts.ended++;
        if (reply.status !== 200 || !text.includes('event: status')) failed.push(`a page: ${reply.status}`);
      } catch (error) {
        if (stopped.signal.aborted) return;
        failed.push(`a page: ${(error as Error).message}`);
      }
      await wait(50);
    }
  }

  const following: Promise<void>[] = [];
  for (let at = 0; at < count; at++) {
    const letter = checkoutLetter(world.accounts[0] as World['accounts'][number], {
      provider: 'moonpay',
      partnerContext: `page ${at}`,
    });
    const { message } = JSON.parse(await checkOut(client, letter)) as {
      message: { transactionInformation: { url: string } };
    };
    following.push(follow(`${new URL(message.transactionInformation.url).pathname}/events`));
  }
  return {
    counts,
    async stop() {
      stopped.abort();
      await Promise.all(following);
    },
  };
}
