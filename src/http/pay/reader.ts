/** Readers: in which language the person behind a request reads, and how that is kept over an order's pages. */
import type { FastifyRequest } from 'fastify';
import { acceptLanguage, type Language, readLanguage } from '../languages.ts';
import type { Place } from './headers.ts';

export interface Reader {
  language: Language;
  /** What they or the shop asked for in the address. */
  asked: Language | undefined;
}

export function readerOf(request: FastifyRequest): Reader {
  const { lang } = (request.query ?? {}) as { lang?: unknown };
  const asked = readLanguage(lang);
  return { language: asked ?? keptLanguage(request), asked };
}

/** The language that was asked for before, else the first of the browser's that we speak. */
export function keptLanguage({ headers }: FastifyRequest): Language {
  const [, kept] = /(?:^|; )lang=(\w+)/.exec(headers.cookie ?? '') ?? [];
  return readLanguage(kept) ?? acceptLanguage(headers['accept-language']) ?? 'en';
}

/** A cookie for this order until the browser is closed: providers lead back without what was asked for. */
export function keepLanguage(language: Language, { path, origin }: Place): string {
  const secure = origin.startsWith('https:') ? '; Secure' : '';
  return `lang=${language}; Path=${path}; HttpOnly; SameSite=Lax${secure}`;
}

export function inLanguage(url: string, language: Language): string {
  const page = new URL(url);
  page.searchParams.set('lang', language);
  return page.href;
}
