/** Session tokens: the part of a pay page's address that nobody can guess. */
import { createTags, TAG } from './tags.ts';

export interface Sessions {
  tokenOf(sessionId: string): string;
  /** The session's id; undefined for a token that is not ours. */
  read(token: string): string | undefined;
}

const FORM = new RegExp(`^([0-9A-Z]{26})(${TAG})$`);

export function createSessions(masterKey: Buffer): Sessions {
  const tags = createTags(masterKey, 'session');
  return {
    tokenOf: id => id + tags.of(id),
    read(token) {
      const [, id = '', tag = ''] = FORM.exec(token) ?? [];
      return tag && tags.isOf(id, tag) ? id : undefined;
    },
  };
}
