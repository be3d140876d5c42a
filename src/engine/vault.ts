/** The vault: keeps a line's secrets. Adapters handle placeholders, whose random part nobody outside can guess or inject. */
import { randomBytes } from 'node:crypto';
import type { Environment } from '../domain/words.ts';
import type { Adapter } from '../providers/contract.ts';
import type { Context } from '../providers/exchange.ts';
import { sign } from './sign.ts';

export interface Vault {
  /** Settings that are not secret. */
  open: Readonly<Record<string, string>>;
  /** Puts secrets in the place of their placeholders. */
  reveal(text: string, spell?: (secret: string) => string): string;
  placeholder(name: string): string;
  has(name: string): boolean;
  sign: Context['sign'];
  /** Every value a secret, or a public key among the open settings, has at present, the newest first. */
  values(name: string): readonly string[];
  /** Keeps a secret that was lent for a time. */
  lend(name: string, values: readonly string[]): void;
}

/** Within JSON text a secret stands inside quotes already. */
export const inJson = (secret: string) => JSON.stringify(secret).slice(1, -1);

const asIs = (secret: string) => secret;

export function createVault(
  adapter: Adapter,
  settings: Readonly<Record<string, string>>,
  environment: Environment = 'live',
): Vault {
  const nonce = randomBytes(12).toString('hex');
  const pattern = new RegExp(`\\[\\[${nonce}:([^\\]]+)\\]\\]`, 'g');
  const open: Record<string, string> = {};
  const secrets = new Map<string, readonly string[]>();
  for (const { name, secret, fallback } of adapter.manifest.settings) {
    const value = settings[name] ?? (typeof fallback === 'object' ? fallback[environment] : fallback);
    if (value === undefined) continue;
    if (secret) secrets.set(name, [value]);
    else open[name] = value;
  }
  const known = (name: string): string => {
    const value = secrets.get(name)?.[0];
    if (value === undefined) throw new Error(`${adapter.manifest.id}: no secret is named ${name}`);
    return value;
  };
  const reveal: Vault['reveal'] = (text, spell = asIs) =>
    text.length > nonce.length && text.includes(nonce)
      ? text.replace(pattern, (_whole, name: string) => spell(known(name)))
      : text;
  return {
    open,
    reveal,
    placeholder(name) {
      known(name);
      return `[[${nonce}:${name}]]`;
    },
    has: name => secrets.has(name),
    sign: (how, secretName, text) => sign(how, known(secretName), reveal(text)),
    values: name => secrets.get(name) ?? (open[name] === undefined ? [] : [open[name]]),
    lend: (name, values) => void secrets.set(name, values),
  };
}
