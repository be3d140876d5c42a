// `npm start`: installs what is missing, builds what is out of date, and runs the service.
import { ensureInstalled } from './install.mjs';

ensureInstalled();
process.argv.splice(2, 0, 'serve');
await import('../bin/cloverleaf.mjs');
