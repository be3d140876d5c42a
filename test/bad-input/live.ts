/** What a running service gives out, for requests that are good but for one thing. */
import type { Line } from './line.ts';
import { WALLETS } from './orders.ts';
import type { Live } from './parameter.ts';

export interface Account {
  publicKey: string;
  secret: string;
}

const LONGEST_MS = 30_000;
/** Where nobody listens; to be allowed as a host that webhooks may go to. */
export const DEAF_HOST = '127.0.0.1:9';

/** Makes two orders, an endpoint and the beginning of a purchase. */
export async function makeLive(line: Line, { publicKey: key, secret }: Account): Promise<Live> {
  async function ask<T>(method: string, path: string, body?: object): Promise<T> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const lines = [
      ...[`${method} ${path} HTTP/1.1`, 'Host: test', `Authorization: ${key}`, `x-service-secret: ${secret}`],
      ...(body ? ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`] : []),
    ];
    const reply = await line.ask(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${text}`));
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body as T;
  }

  /** A service that has just been started has not heard of all that its providers offer. */
  async function checkOut(): Promise<string> {
    for (const until = Date.now() + LONGEST_MS; ; ) {
      try {
        const { message } = await ask<Intent>('POST', '/checkout/intent?country=de', ORDER);
        return message.transactionInformation.transactionId;
      } catch (error) {
        if (Date.now() > until) throw error;
        await new Promise(resolve => setTimeout(resolve, 200));
      }
    }
  }

  const transactionId = await checkOut();
  await checkOut();
  const { cursor } = await ask<{ cursor: string }>('GET', '/transactions?limit=1');
  const { id } = await ask<{ id: string }>('POST', '/webhooks', { url: `http://${DEAF_HOST}/` });
  const rates = await ask<Rate[]>('GET', '/legacy/rate/EUR/BTC/creditCard/100?country=de');
  const url = rates.find(({ identifier }) => identifier === 'moonpay')?.nextStep?.url ?? '';
  return {
    ...{ key, secret, transactionId, cursor, webhookId: id, eventId: `${transactionId}-1` },
    stepToken: url.split('/').at(-1) ?? '',
  };
}

const ORDER = {
  ...{ onramp: 'moonpay', source: 'eur', destination: 'btc', amount: 100 },
  wallet: { address: WALLETS.bitcoin },
};

interface Intent {
  message: { transactionInformation: { transactionId: string } };
}

interface Rate {
  identifier: string;
  nextStep?: { url: string };
}
