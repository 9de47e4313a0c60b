import { runProcess } from '@panel/kit/process';
import { readConfig } from './config.js';
import { startBilling } from './service.js';

await runProcess('billing', async () => startBilling(readConfig()));
