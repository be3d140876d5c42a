/** What can go wrong between us and a provider, by kind; it costs the provider its answer and nothing else. */

export type UpstreamKind =
  | 'late'
  | 'unreachable'
  | 'reset'
  | 'tooLarge'
  | 'garbage'
  | 'status'
  | 'unauthorized'
  | 'limited'
  | 'busy'
  | 'withdrawn';

export class Upstream extends Error {
  readonly kind: UpstreamKind;
  /** With `limited`: how long the provider wants to be left alone. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: UpstreamKind, message: string, retryAfterMs?: number) {
    super(message);
    this.name = 'Upstream';
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
