/** Chains whose answers are alike: each reads its own, however many are under way and whatever came before. */
import { describe, expect, it } from 'vitest';
import { connect, run, setLines } from '../../test/acme-line.ts';
import { BadAnswer, exchange, type HttpAnswer, type Work } from '../providers/exchange.ts';

setLines();

interface Price {
  price: { rate: string };
}

const priceIn = ({ body }: HttpAnswer) => (body as Price).price;

/** A provider that states the rate it is asked for. */
async function echoing() {
  const { line } = await connect((response, { url }) => {
    response.end(`{"price":{"rate":${new URL(url, 'http://x').searchParams.get('rate')},"of":"acme"}}`);
  });
  const rateAt = (rate: number, read: (answer: HttpAnswer) => Work<string>) =>
    run(
      line,
      () => exchange({ method: 'GET', host: 'api', path: '/x', query: { rate: String(rate) } }, read),
      {
        alike: true,
      },
    );
  const usual = (rate: number) => rateAt(rate, answer => priceIn(answer).rate);
  for (const rate of [1, 2, 3]) expect(await usual(rate)).toBe(String(rate));
  return { rateAt, usual };
}

describe('answers that are alike', () => {
  it('are read into the same objects, one after the other', async () => {
    const { rateAt, usual } = await echoing();
    let first: object | undefined;
    await rateAt(4, answer => {
      first = priceIn(answer);
      return 'kept where it should not be';
    });
    expect(await usual(5)).toBe('5');
    expect(first).toMatchObject({ rate: '5' });
  });

  it('stay as they are for work that goes on with them', async () => {
    const { rateAt, usual } = await echoing();
    const request = { method: 'GET', host: 'api', path: '/x', query: { rate: '9' } } as const;
    const both = await rateAt(4, answer => {
      const first = priceIn(answer);
      return exchange(request, next => `${first.rate}, then ${priceIn(next).rate}`);
    });
    expect([both, await usual(5)]).toEqual(['4, then 9', '5']);
  });

  it('are read on after one of which nothing can be made', async () => {
    const { rateAt, usual } = await echoing();
    const senseless = rateAt(4, answer => {
      throw new BadAnswer(`senseless: ${priceIn(answer).rate}`);
    });
    await expect(senseless).rejects.toThrow('senseless: 4');
    expect([await usual(5), await usual(6)]).toEqual(['5', '6']);
  });
});
