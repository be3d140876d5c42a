/** A React component: live quotes for an amount, and a button that starts the purchase. */
import {
  type Client,
  CloverleafError,
  type EarlyQuote,
  isQuote,
  type Quote,
  type QuoteAsk,
} from '@cloverleaf/client';
import { useEffect, useState } from 'react';

export interface BuyCryptoProps {
  client: Client;
  /** Where the coins go. */
  wallet: string;
  country: string;
  /** Called with the page to present to the person. */
  onCheckout(url: string): void;
}

export function BuyCrypto({ client, wallet, country, onCheckout }: BuyCryptoProps) {
  const [amount, setAmount] = useState('100');
  const [trouble, setTrouble] = useState('');
  const [isOrdering, setOrdering] = useState(false);
  const ask = { source: 'eur', destination: 'btc', amount, country };
  const { quotes, message, askAgain } = useQuotes(client, ask);

  useEffect(() => {
    // Whoever comes back to the page as it was left may order again.
    const comeBack = () => setOrdering(false);
    addEventListener('pageshow', comeBack);
    return () => removeEventListener('pageshow', comeBack);
  }, []);

  async function buy({ ramp, quoteId }: Quote) {
    setTrouble('');
    setOrdering(true);
    try {
      const order = { ...ask, onramp: ramp, metaData: { quoteId }, wallet: { address: wallet } };
      const { transactionInformation } = await client.checkout(order);
      onCheckout(transactionInformation.url);
    } catch (error) {
      setOrdering(false);
      setTrouble(sayingOf(error));
      // The quote has run out: there is a new one for the asking.
      if (error instanceof CloverleafError && error.kind === 'expired') askAgain();
    }
  }

  function change(typed: string) {
    setAmount(typed);
    setTrouble('');
  }

  return (
    <section aria-label="Buy bitcoin">
      <label>
        You pay, in euros{' '}
        <input inputMode="decimal" value={amount} onChange={event => change(event.target.value)} />
      </label>
      <p role="status">{trouble || message}</p>
      <ul>
        {quotes.map(quote => (
          <li key={quote.ramp}>
            {quote.ramp}: {quote.payout} BTC{' '}
            <button
              type="button"
              disabled={isOrdering || !isFinal(quote)}
              onClick={() => isFinal(quote) && buy(quote)}
            >
              Buy with {quote.ramp}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Whoever is still typing has not asked yet. */
const TYPING_MS = 200;

/** Prices as they come in, then in order; asked anew whenever the question changes. */
function useQuotes(client: Client, ask: QuoteAsk) {
  const [quotes, setQuotes] = useState<(Quote | EarlyQuote)[]>([]);
  const [message, setMessage] = useState('');
  const [round, setRound] = useState(0);
  // The question as text, so that an equal one is not asked again.
  const words = JSON.stringify(ask);

  useEffect(() => {
    const leaving = new AbortController();
    setQuotes([]);
    setMessage('Asking…');
    async function follow() {
      const prices: EarlyQuote[] = [];
      for await (const event of client.streamQuotes(JSON.parse(words) as QuoteAsk, {
        signal: leaving.signal,
      })) {
        if (event.kind === 'done') {
          setQuotes(event.quotes.filter(isQuote));
          setMessage(event.quotes.some(isQuote) ? '' : 'Nobody sells that amount at the moment');
        } else if (isQuote(event.outcome)) {
          prices.push(event.outcome);
          setQuotes([...prices]);
        }
      }
    }
    const asking = setTimeout(() => {
      follow().catch(error => {
        if (!leaving.signal.aborted) setMessage(sayingOf(error));
      });
    }, TYPING_MS);
    return () => {
      clearTimeout(asking);
      leaving.abort();
    };
  }, [client, words, round]);

  return { quotes, message, askAgain: () => setRound(round + 1) };
}

/** Whether it has the id that it can be ordered by. */
function isFinal(quote: Quote | EarlyQuote): quote is Quote {
  return 'quoteId' in quote;
}

function sayingOf(error: unknown): string {
  return error instanceof CloverleafError ? error.message : 'Something went wrong';
}
