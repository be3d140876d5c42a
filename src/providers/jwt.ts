/** Tokens (JSON Web Tokens) as providers ask for them and send them: their parts, written and read; others sign and prove. */
import { parseJson, writeJson } from '../domain/json.ts';

/** `header.payload`, which is what is signed. */
export function writeParts(header: object, claims: object): string {
  return `${base64url(writeJson(header))}.${base64url(writeJson(claims))}`;
}

/** Any bytes, or a text in UTF-8. */
export function base64url(value: string | Uint8Array): string {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** One part as JSON with numbers as text; undefined when it is not. */
export function readPart(part: string): unknown {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = new Uint8Array(binary.length);
    for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

const LONGEST = 65_536;
const TOKEN = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;

/** A token as its parts; undefined when it is none. */
export function splitToken(
  text: unknown,
): { signed: string; header: unknown; claims: unknown; signature: string } | undefined {
  if (typeof text !== 'string' || text.length > LONGEST) return undefined;
  const [found, header = '', payload = '', signature = ''] = TOKEN.exec(text) ?? [];
  if (!found) return undefined;
  return { signed: `${header}.${payload}`, header: readPart(header), claims: readPart(payload), signature };
}
