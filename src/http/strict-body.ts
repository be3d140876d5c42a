/** Strict bodies: JSON that means one thing only, whoever reads it. */
import { isUtf8 } from 'node:buffer';
import { badInput, Fault } from '../domain/fault.ts';
import { readStrictJson, StrictJsonFault } from '../domain/json.ts';

/** Reads bytes as strict JSON; faults name the place, and repeat nothing. */
export function readBody(bytes: Buffer): unknown {
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

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw badInput('body', 'body is not UTF-8');
  return bytes.toString('utf8');
}
