/** Series: several requests, sent one after the other, whose answers are read together. */
import { exchange, type HttpRequest, type Work } from './exchange.ts';

/** The bodies come in the order of the requests. */
export function inSeries<T>(
  requests: readonly HttpRequest[],
  read: (bodies: readonly unknown[]) => Work<T>,
): Work<T> {
  return goOn(requests, []);

  function goOn([next, ...rest]: readonly HttpRequest[], bodies: readonly unknown[]): Work<T> {
    return next ? exchange(next, ({ body }) => goOn(rest, [...bodies, body])) : read(bodies);
  }
}
