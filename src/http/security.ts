/** What the pages of ours have in common to be safe: a policy of what they may load, and who may act from them. */
import type { FastifyRequest } from 'fastify';

/** Sources by directive; a directive without sources allows nothing. */
export type Directives = Readonly<Record<string, readonly string[]>>;

/** The policy of a page on which no text ever becomes markup or a script. */
export function contentSecurity(directives: Directives): string {
  return `${writePolicy(directives)}; require-trusted-types-for 'script'; trusted-types 'none'`;
}

/** The same for a page whose scripts are somebody else's, and write markup. */
export function writePolicy(directives: Directives): string {
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.length > 0 ? sources.join(' ') : "'none'"}`)
    .join('; ');
}

/** Whether a page of ours sent the request; browsers say so themselves, and what says nothing is none. */
export function isOwn({ headers }: Pick<FastifyRequest, 'headers'>, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined ? headers.origin === origin : site === 'same-origin';
}

/** Whether a browser asked for something to show. */
export function wantsPage({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return headers.accept?.includes('text/html') ?? false;
}
