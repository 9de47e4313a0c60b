import { runProcess } from '@panel/kit';
import { readConfig } from './config.js';
import { startGateway } from './gateway.js';

await runProcess('gateway', async () => startGateway(readConfig()));
