/** The beginning: the texts, without which nothing can be said, and what is shown where even they cannot be had. */
import type { Language } from '../../src/http/languages.ts';
import { tryAgain as ar, unreachable as arWhy } from './texts/ar.json';
import { tryAgain as de, unreachable as deWhy } from './texts/de.json';
import { tryAgain as en, unreachable as enWhy } from './texts/en.json';
import { tryAgain as es, unreachable as esWhy } from './texts/es.json';
import { tryAgain as fr, unreachable as frWhy } from './texts/fr.json';
import { tryAgain as ja, unreachable as jaWhy } from './texts/ja.json';
import { tryAgain as pt, unreachable as ptWhy } from './texts/pt.json';
import type { Texts } from './texts.ts';

/** All that can be said without texts; of their files nothing else comes with the script. */
const WORDS: Record<Language, { again: string; why: string }> = {
  en: { again: en, why: enWhy },
  de: { again: de, why: deWhy },
  es: { again: es, why: esWhy },
  fr: { again: fr, why: frWhy },
  pt: { again: pt, why: ptWhy },
  ja: { again: ja, why: jaWhy },
  ar: { again: ar, why: arWhy },
};

/** Lines break for a moment, above all on phones. */
const PAUSES_MS = [500, 2_000];

export interface TextsOptions {
  fetch(url: string): Promise<Response>;
  pause(ms: number): Promise<void>;
}

/** Throws what the last of several tries met with. */
export async function loadTexts(url: string, { fetch, pause }: TextsOptions): Promise<Texts> {
  for (const ms of PAUSES_MS) {
    try {
      return await readTexts(await fetch(url));
    } catch {
      await pause(ms);
    }
  }
  return readTexts(await fetch(url));
}

async function readTexts(response: Response): Promise<Texts> {
  if (!response.ok) throw new Error(`The texts were answered with ${response.status}`);
  return response.json();
}

/** Stands in for the widget until the person asks for it again. */
export function showTrouble(root: HTMLElement, language: Language): Promise<void> {
  const { again, why } = WORDS[language];
  const document = root.ownerDocument;
  const card = document.createElement('div');
  card.className = 'card trouble';
  const lead = document.createElement('p');
  lead.role = 'alert';
  lead.textContent = why;
  const button = document.createElement('button');
  button.className = 'take';
  button.type = 'button';
  button.textContent = again;
  card.append(lead, button);
  root.replaceChildren(card);
  return new Promise(resolve => {
    button.addEventListener('click', () => {
      button.disabled = true;
      resolve();
    });
  });
}
