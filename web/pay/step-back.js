// @ts-check
/** Back from a provider's page: hands the next step to the page that leads through the order, and goes away. */
import { handOver } from './handover.js';

const { step, listener } = /** @type {HTMLElement} */ (document.getElementById('returned')).dataset;
if (handOver(JSON.parse(step ?? ''), listener ?? '') === 'elsewhere') window.close();
