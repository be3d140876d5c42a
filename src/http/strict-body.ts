/** Strict bodies: JSON that means one thing only, whoever reads it. */
import { badInput, Fault } from '../domain/fault.ts';
import { readStrictJson, StrictJsonFault } from '../domain/json.ts';

/** Reads bytes as strict JSON; faults name the place, and repeat nothing. */
export function readBody(bytes: Uint8Array): unknown {
  try {
    return readStrictJson(decode(bytes));
  } catch (error) {
    if (error instanceof StrictJsonFault) throw badInput(error.path || 'body', error.message);
    throw error;
  }
}

/** What unfolds while it is read has no size that could be checked. */
export function checkEncoding(contentEncoding = 'identity'): void {
  if (contentEncoding.toLowerCase() !== 'identity')
    throw new Fault('unsupportedMedia', 'The body must not be compressed', 'Content-Encoding');
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw badInput('body', 'body is not UTF-8');
  }
}
