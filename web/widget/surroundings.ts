/** Surroundings: the pages around the widget, and how they are spoken to. */
import { seal, type WidgetEvent } from './messages.ts';

export interface Surroundings {
  /** Web origins around us, the nearest first; empty for a page by itself, or where the browser hides them. */
  origins: string[];
  /** Tells the page around us; nobody hears it where its origin is not known. */
  tell(event: WidgetEvent): void;
}

/** `named` is what the page around us says its origin is: where the browser knows better, the browser counts. */
export function lookAround(window: Window, named: string | null): Surroundings {
  const origins = originsAround(window, named);
  const [nearest] = origins;
  return {
    origins,
    tell(event) {
      if (nearest !== undefined) window.parent.postMessage(seal(event), nearest);
    },
  };
}

function originsAround(window: Window, named: string | null): string[] {
  if (window.parent === window) return [];
  const { ancestorOrigins } = window.location;
  if (ancestorOrigins) return [...ancestorOrigins].filter(isSpeakable);
  return [named ?? originOf(window.document.referrer)]
    .filter(origin => origin !== undefined)
    .filter(isSpeakable);
}

/** Sandboxed frames and some apps have origins that nothing can be sent to. */
function isSpeakable(origin: string): boolean {
  return /^https?:\/\//.test(origin);
}

function originOf(url: string): string | undefined {
  try {
    return new URL(url).origin;
  } catch {
    return undefined;
  }
}
