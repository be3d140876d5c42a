/** Routes: which handler of a stand-in answers a request, and the request as the handler sees it. */
import { parseJson } from '../src/domain/json.ts';
import type { StandinRequest, StandinRoute } from '../src/providers/world.ts';
import type { Request } from './machine/messages.ts';

export function findRoute(
  routes: readonly StandinRoute[],
  method: string,
  { host, path }: { host: string; path: string },
): { route: StandinRoute; params: Record<string, string> } | undefined {
  const wanted = path.split('/');
  for (const route of routes) {
    const segments = route.path.split('/');
    if (route.method !== method || route.host !== host || segments.length !== wanted.length) continue;
    const params: Record<string, string> = {};
    const fits = segments.every((segment, at) => {
      const word = decodeURIComponent(wanted[at] ?? '');
      if (segment.startsWith(':')) params[segment.slice(1)] = word;
      return segment.startsWith(':') || segment === word;
    });
    if (fits) return { route, params };
  }
  return undefined;
}

export function standinRequest(request: Request, url: URL, params: Record<string, string>): StandinRequest {
  return {
    params,
    query: Object.fromEntries(url.searchParams),
    search: url.search,
    headers: request.headers,
    ip: '10.0.0.1',
    body: request.body ? parseJson(request.body) : undefined,
    form: {},
    rawBody: request.body,
  };
}
