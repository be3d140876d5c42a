// @ts-check
/** Hands a step to the page that leads through an order: the one that frames us, or the one that opened this window. */

/**
 * Says who has heard: the page around us, that of another window, or nobody for all we know. `listener` is the origin
 * that page must have; where it is empty, the browser says whose page it is, and where it does not, nobody hears anything.
 *
 * @param {object} step @param {string} listener @returns {'around' | 'elsewhere' | 'nobody'}
 */
export function handOver(step, listener) {
  const isFramed = window.parent !== window;
  const other = isFramed ? window.parent : window.opener;
  const origin = listener || originOfOther(isFramed);
  // Windows that have been led to another site may have lost the one they came from.
  if (!other || other.closed || !origin) return 'nobody';
  other.postMessage(step, origin);
  if (isFramed) return 'around';
  // A window knows by itself only where it was last, which may have been at the provider's.
  return listener ? 'elsewhere' : 'nobody';
}

/** Sandboxed frames and apps have none that anything can be sent to. @param {boolean} isFramed @returns {string | undefined} */
function originOfOther(isFramed) {
  const around = isFramed ? location.ancestorOrigins?.[0] : undefined;
  const origin = around ?? /^https?:\/\/[^/]+/.exec(document.referrer)?.[0] ?? '';
  return /^https?:\/\//.test(origin) ? origin : undefined;
}
