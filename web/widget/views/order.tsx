/** The last screen: the order's own page, which leads to the provider and shows where the order stands. */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { TransactionStatus } from '../../../client/src/index.ts';
import { POWERS } from '../../../src/http/powers.ts';
import { orderLink, orderPage, tokenIn } from '../order-page.ts';
import type { Order } from '../state.ts';
import type { TextKey } from '../texts.ts';
import { focusOn, nameOf, type View } from './view.ts';

const ENDS: readonly TransactionStatus[] = ['completed', 'failed', 'canceled', 'expired', 'refunded'];
const COPIED_MS = 2_000;

export function OrderScreen({ view }: { view: View }) {
  const { state, say, dispatch } = view;
  const { order, setup } = state;
  const frame = useRef<HTMLIFrameElement>(null);
  const title = useRef<HTMLHeadingElement>(null);
  const page = order && orderPage(setup, order.token);
  useEffect(() => {
    title.current?.focus({ preventScroll: true });
    // Whoever leaves begins anew at the top: what led here may go with its old prices.
    return () => focusOn('h1');
  }, []);
  useEffect(() => follow(frame, dispatch), [dispatch]);
  useEffect(() => {
    // Whoever starts again is at the other order's page already.
    if (frame.current && page && tokenAt(frame.current) !== tokenIn(page)) frame.current.src = page;
  }, [page]);
  if (!order || !page) return null;
  const name = order.provider
    ? say('orderFrame', { provider: nameOf(view, order.provider) })
    : say('orderTitle');
  return (
    <div class="order" data-status={order.status}>
      <header class="top">
        <h2 ref={title} tabIndex={-1}>
          {say('orderTitle')}
        </h2>
        {order.status && (
          <span class="badge" data-status={order.status} role="status">
            {say(`status.${order.status}` as TextKey)}
          </span>
        )}
      </header>
      <iframe ref={frame} title={name} allow={POWERS.join('; ')} />
      <footer>
        <CopyLink view={view} order={order} />
        <a href={page} target="_blank" rel="noopener">
          {say('openWindow')}
        </a>
        <button
          class={order.status && ENDS.includes(order.status) ? 'primary' : 'take'}
          type="button"
          onClick={() => dispatch({ type: 'newOrder' })}
        >
          {say('newOrder')}
        </button>
      </footer>
    </div>
  );
}

/** Only the page in our own frame is believed, and only of our own origin. */
function follow(frame: { current: HTMLIFrameElement | null }, dispatch: View['dispatch']): () => void {
  const hear = ({ origin, source, data }: MessageEvent) => {
    if (origin !== location.origin || !frame.current || source !== frame.current.contentWindow) return;
    if (data?.type !== 'cloverleaf:status') return;
    const { transactionId, status } = data as { transactionId: string; status: TransactionStatus };
    dispatch({ type: 'status', token: tokenAt(frame.current), transactionId, status });
  };
  window.addEventListener('message', hear);
  return () => window.removeEventListener('message', hear);
}

/** The order whose page is in the frame. */
function tokenAt({ contentWindow }: HTMLIFrameElement): string | undefined {
  try {
    return contentWindow ? tokenIn(contentWindow.location.href) : undefined;
  } catch {
    // A page that is not ours does not say where it is.
    return undefined;
  }
}

function CopyLink({ view, order }: { view: View; order: Order }) {
  const { say } = view;
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    const link = orderLink(location.href, order.token);
    try {
      // On plain http there is no clipboard at all.
      await navigator.clipboard.writeText(link);
      setCopied(true);
    } catch {
      window.prompt(say('copyLink'), link);
    }
    setTimeout(() => setCopied(false), COPIED_MS);
  };
  return (
    <button class="chip" type="button" onClick={copy}>
      {say(isCopied ? 'copied' : 'copyLink')}
    </button>
  );
}
