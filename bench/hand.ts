/** Hand: what a team writes itself, with the built-in fetch, Promise.allSettled and a timeout for each call. */
import { createServer } from 'node:http';
import { announce } from './child.ts';
import { DEADLINE_MS, type PlainQuote, QUESTION_HEADERS, questionTo, readPayout } from './wire.ts';

const [fleetUrl = ''] = process.argv.slice(2);

announce(
  createServer(async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://hand');
    const providers = Array.from({ length: Number(searchParams.get('n')) }, (_, at) => at + 1);
    const settled = await Promise.allSettled(
      providers.map(provider => askOne(provider, searchParams.get('amount') ?? '')),
    );
    const quotes = settled
      .filter(result => result.status === 'fulfilled')
      .map(result => result.value)
      .sort((a, b) => b.payout - a.payout);
    const body = JSON.stringify(quotes);
    response
      .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      .end(body);
  }),
);

async function askOne(provider: number, amount: string): Promise<PlainQuote> {
  const answer = await fetch(fleetUrl + questionTo(provider, amount), {
    headers: QUESTION_HEADERS,
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (!answer.ok) throw new Error(`answered ${answer.status}`);
  return readPayout(provider, await answer.json());
}
