// @ts-check
/** Every page of the site: buttons that copy the code they stand on. */

const SHOWN_MS = 1_600;

for (const button of document.querySelectorAll('button.copy')) {
  const code = button.parentElement?.querySelector('code');
  if (!(button instanceof HTMLButtonElement) || !code) continue;
  button.hidden = false;
  button.addEventListener('click', () => copy(code, button));
}

/** @param {Element} code @param {HTMLButtonElement} button */
async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
  } catch {
    // Not allowed here: what is marked can be copied by hand.
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, SHOWN_MS);
}
