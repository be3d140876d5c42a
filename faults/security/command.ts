/** The command line inside the run's own network: which one is said first, then the command as an operator types it. */
import { enterNetwork, type NetworkOrder } from '../bed/network.ts';

const [order = '{}'] = process.argv.splice(2, 1);
enterNetwork(JSON.parse(order) as NetworkOrder);
await import('../../src/cli/cloverleaf.ts');
