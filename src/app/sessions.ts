/** Session tokens: the part of a pay page's address that nobody can guess. */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface Sessions {
  tokenOf(sessionId: string): string;
  /** The session's id; undefined for a token that is not ours. */
  read(token: string): string | undefined;
}

const FORM = /^([0-9A-Z]{26})([A-Za-z0-9_-]{22})$/;
const TAG_CHARACTERS = 22;

export function createSessions(masterKey: Buffer): Sessions {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'cloverleaf/session', 32));
  const tagOf = (id: string) =>
    createHmac('sha256', key).update(id).digest('base64url').slice(0, TAG_CHARACTERS);
  return {
    tokenOf: id => id + tagOf(id),
    read(token) {
      const [, id = '', tag = ''] = FORM.exec(token) ?? [];
      if (!tag || !timingSafeEqual(Buffer.from(tag), Buffer.from(tagOf(id)))) return undefined;
      return id;
    },
  };
}
