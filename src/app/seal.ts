/** Sealing: text that only we can read and nobody can alter, bound to a purpose and to whatever it belongs to. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Seal {
  /** `bound` is not inside, but must be the same to open it. */
  close(text: string, bound?: string): string;
  /** Undefined when it is not ours, was altered, or is bound to something else. */
  open(sealed: string, bound?: string): string | undefined;
}

const ALGORITHM = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const LONGEST = 65_536;

/** A seal for one purpose; what is sealed for one is rubbish to every other. */
export function createSeal(masterKey: Buffer, purpose: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', `cloverleaf/${purpose}`, 32));
  return {
    close(text, bound = '') {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(ALGORITHM, key, nonce);
      cipher.setAAD(Buffer.from(bound));
      const body = cipher.update(text, 'utf8');
      cipher.final();
      return Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64url');
    },
    open(sealed, bound = '') {
      if (sealed.length > LONGEST || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
      const bytes = Buffer.from(sealed, 'base64url');
      // Several texts decode to the same bytes; only the one we wrote counts.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined;
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(bound));
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        const body = decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES));
        return Buffer.concat([body, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
