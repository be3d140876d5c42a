/** Patterns: what is known of a text, as part of a regular expression. */

/** A pattern that finds a text and nothing else. */
export function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
