// @ts-check
/** Draws the reference from the OpenAPI document; nothing on the page comes from another host. */

/** @typedef {{ React: { createElement(kind: string, props: object, ...children: unknown[]): unknown } }} System */
/** @type {(options: object) => void} */
const draw = /** @type {any} */ (window).SwaggerUIBundle;
const isDark = matchMedia('(prefers-color-scheme: dark)');

/** Names of operations as text: a link inside the button that opens them could not be reached without a mouse. */
const plainNames = (/** @type {System} */ { React }) => ({
  components: {
    DeepLink: (/** @type {{ text: unknown }} */ { text }) => React.createElement('span', {}, text),
  },
});

function follow() {
  document.documentElement.classList.toggle('dark-mode', isDark.matches);
}

follow();
isDark.addEventListener('change', follow);
draw({
  url: '../openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
  docExpansion: 'list',
  defaultModelsExpandDepth: -1,
  plugins: [plainNames],
});
