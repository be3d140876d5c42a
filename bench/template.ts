/** Templates: quotes in the providers' exact wire shapes, written cheaply from a true answer of each stand-in. */
import { KINDS, type Kind, kindOf, nameOf, questionTo } from './wire.ts';

/** Writes a provider's quote for an amount. */
export type QuoteWriter = (provider: number, cents: number) => string;

export async function createWriter(sandboxUrl: string): Promise<QuoteWriter> {
  const templates = Object.fromEntries(
    await Promise.all(KINDS.map(async kind => [kind, await readTemplate(sandboxUrl, kind)])),
  ) as Record<Kind, Template>;
  return (provider, cents) => {
    const figures = figuresOf(provider, cents);
    let body = '';
    for (const { text, figure } of templates[kindOf(provider)]) {
      body += text + (figure ? figures[figure] : '');
    }
    return body;
  };
}

/** A body in pieces: text, then the figure whose name stands beside it. */
type Template = readonly { text: string; figure: keyof Figures | undefined }[];

interface Figures {
  total: string;
  base: string;
  fee: string;
  networkFee: string;
  fees: string;
  coins: string;
  price: string;
  perFiat: string;
}

/** A true answer of the stand-in with its figures taken out; `@name` becomes a number, `#name` stays in quotes. */
async function readTemplate(sandboxUrl: string, kind: Kind): Promise<Template> {
  const question = questionTo(KINDS.indexOf(kind) + 1, '100').slice(nameOf(1).length + 1);
  const answer = await fetch(`${sandboxUrl}/${kind}${question}`);
  if (!answer.ok) throw new Error(`${kind} answered ${answer.status}: ${await answer.text()}`);
  const pieces = JSON.stringify(PUNCH[kind](await answer.json())).split(/"@(\w+)"|#(\w+)/);
  const template: { text: string; figure: keyof Figures | undefined }[] = [];
  for (let at = 0; at < pieces.length; at += 3) {
    const figure = (pieces[at + 1] ?? pieces[at + 2]) as keyof Figures | undefined;
    template.push({ text: pieces[at] ?? '', figure });
  }
  return template;
}

type Body = Record<string, unknown>;

const PUNCH: Record<Kind, (answer: unknown) => unknown> = {
  moonpay: answer => ({
    ...(answer as Body),
    baseCurrencyAmount: '@base',
    quoteCurrencyAmount: '@coins',
    quoteCurrencyPrice: '@price',
    feeAmount: '@fee',
    networkFeeAmount: '@networkFee',
    totalAmount: '@total',
  }),
  transak: answer => {
    const { response } = answer as { response: Body & { feeBreakdown: Body[] } };
    const parts: Record<string, string> = { transak_fee: '@fee', network_fee: '@networkFee' };
    return {
      response: {
        ...response,
        conversionPrice: '@perFiat',
        marketConversionPrice: '@perFiat',
        fiatAmount: '@total',
        cryptoAmount: '@coins',
        totalFee: '@fees',
        feeBreakdown: response.feeBreakdown.map(part => ({ ...part, value: parts[String(part.id)] ?? 0 })),
      },
    };
  },
  mercuryo: answer => {
    const body = answer as Body & { data: Body };
    return {
      ...body,
      data: {
        ...body.data,
        amount: '#coins',
        fiat_amount: '#total',
        rate: '#price',
        fee: { BTC: '0.00000100', EUR: '#fees' },
        subtotal: { BTC: '#coins', EUR: '#base' },
        total: { BTC: '#coins', EUR: '#total' },
      },
    };
  },
};

const PRICE = 60_000;

/** All parts add up; prices lie within 2 % of each other, and fees of all providers are alike. */
function figuresOf(provider: number, cents: number): Figures {
  const total = cents / 100;
  const fee = Math.round(cents * 0.04) / 100;
  const networkFee = 0.5;
  const base = total - fee - networkFee;
  const price = PRICE * (1 + ((provider * 7 + cents) % 64) / 3_200);
  return {
    total: total.toFixed(2),
    base: base.toFixed(2),
    fee: fee.toFixed(2),
    networkFee: networkFee.toFixed(2),
    fees: (fee + networkFee).toFixed(2),
    coins: (base / price).toFixed(8),
    price: price.toFixed(2),
    perFiat: (1 / price).toFixed(16),
  };
}
