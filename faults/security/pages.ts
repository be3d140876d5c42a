/** X6, pages: strangers' pages in a real browser, which speak to ours and listen. */
import { allow } from '../../src/app/accounts.ts';
import { openBrowser } from '../../test/browser/chromium.ts';
import { tryMessages } from '../../test/browser/messages.ts';
import type { Line } from '../report.ts';
import { buy, type Scene } from './scene.ts';

const KNOWN_MS = 20_000;

export async function tryPages({
  caller,
  other,
  database,
}: Scene): Promise<{ lines: Line[]; examples: string[] }> {
  const { publicKey } = other;
  const browser = await openBrowser();
  try {
    const trials = await tryMessages({
      browser,
      publicKey,
      serviceUrl: caller.url,
      async register(origin) {
        await allow(database, publicKey, { origins: [origin], redirectHosts: [] });
        const until = Date.now() + KNOWN_MS;
        const policy = async () => (await caller.call({ path: `/widget?apiKey=${publicKey}` })).headers;
        while (!(await policy())['content-security-policy']?.includes(origin)) {
          if (Date.now() > until) throw new Error('the service does not learn of an origin');
        }
      },
      newOrder: async () => `${caller.url}/pay/${(await buy(caller, other, {})).payToken}`,
    });
    const wrong = trials.filter(({ count, acted, heard }) => count === 0 || acted > 0 || heard > 0);
    return {
      lines: trials.map(({ name, count, acted, heard }) => ({
        ...{ fault: 'X6', what: name, count, violations: acted + heard, worst: '' },
      })),
      examples: wrong.map(({ name, acted, heard }) => `${name}: ${acted} acted on, ${heard} heard`),
    };
  } finally {
    await browser.close();
  }
}
