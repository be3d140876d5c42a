// @ts-check
/** Hands a step to the page that leads through an order: the one that frames us, or the one that opened this window. */

/**
 * Says who may have heard: the page around us, that of another window, or nobody. `listener` is the origin that page
 * must have, or `*`; one of any other hears nothing.
 *
 * @param {object} step @param {string} listener @returns {'around' | 'elsewhere' | 'nobody'}
 */
export function handOver(step, listener) {
  const isFramed = window.parent !== window;
  const other = isFramed ? window.parent : window.opener;
  // Windows that have been led to another site may have lost the one they came from.
  if (!other || other.closed) return 'nobody';
  other.postMessage(step, listener);
  return isFramed ? 'around' : 'elsewhere';
}
