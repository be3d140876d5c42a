// @ts-check
/** Back from the provider: tells the pay page that waits in the frame's parent or the window's opener, or goes there. */

const goOn = /** @type {HTMLAnchorElement} */ (document.getElementById('go-on'));
const message = { type: 'cloverleaf:returned' };

if (window.parent !== window) {
  // It takes this frame away; should it not, the order opens in a window of its own.
  goOn.target = '_blank';
  window.parent.postMessage(message, location.origin);
} else if (isPayPage(window.opener)) {
  window.opener.postMessage(message, location.origin);
  window.close();
  setTimeout(leave, 500);
} else {
  leave();
}

function leave() {
  location.replace(goOn.href);
}

/** Whether a window shows this order's page; that of another site cannot be looked into. @param {Window | null} other */
function isPayPage(other) {
  try {
    return other?.location.origin === location.origin && other.location.pathname === goOn.pathname;
  } catch {
    return false;
  }
}
