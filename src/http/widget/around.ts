/** Around the widget: the pages it stands in, as it tells them with an order, so that the order's page may stand there too. */
import type { FastifyRequest } from 'fastify';
import type { Account } from '../../app/accounts.ts';
import { isWelcome } from '../cors.ts';
import { originsOf } from '../pay/headers.ts';
import { isOwn } from '../security.ts';

/** Frames within frames; a page that is deeper down is no page of anybody's. */
const MOST = 5;

/**
 * Web origins, believed from our own page alone: it asked its browser. Those that the account did not register, if it
 * has registered any, frame nothing. Undefined when there are none.
 */
export function aroundOf(
  request: Pick<FastifyRequest, 'headers'>,
  account: Pick<Account, 'origins'>,
  publicUrl: string,
): string[] | undefined {
  const named = request.headers['x-widget-referer'];
  if (typeof named !== 'string') return undefined;
  const { origin } = new URL(publicUrl);
  if (!isOwn(request, origin)) return undefined;
  const around = originsOf(named.split(' ').slice(0, MOST));
  const allowed = around.filter(one => one !== origin && isWelcome(account.origins, one));
  return allowed.length > 0 ? allowed : undefined;
}
