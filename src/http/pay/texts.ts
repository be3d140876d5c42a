/** The words of the pay page: a table for each language, with the same entries in all of them. */
import type { Status } from '../../domain/transaction.ts';
import type { Language } from '../languages.ts';
import ar from './texts/ar.json' with { type: 'json' };
import de from './texts/de.json' with { type: 'json' };
import en from './texts/en.json' with { type: 'json' };
import es from './texts/es.json' with { type: 'json' };
import fr from './texts/fr.json' with { type: 'json' };
import ja from './texts/ja.json' with { type: 'json' };
import pt from './texts/pt.json' with { type: 'json' };

/** What stands in braces is filled in: `{gets}` by a sum, `{Gets}` by the same as a sentence begins. */
export type Words = typeof en;

export const WORDS: Readonly<Record<Language, Words>> = { en, de, es, fr, pt, ja, ar };

export interface Saying {
  title: string;
  lead: string;
}

/** Where the person stands: a status, or one of the moments within it that look different to them. */
export type Moment = Status | 'ready' | 'sendCoins' | 'sendMoney' | 'lapsed';

/** How the figures are spoken of: as due, with our part paid, as exchanged, as never exchanged, or as given back. */
export type Tense = 'due' | 'paid' | 'done' | 'undone' | 'returned';
