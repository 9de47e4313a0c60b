import { runProcess } from '@panel/kit/process';
import { readConfig } from './config.js';
import { startIdentity } from './service.js';

await runProcess('identity', async () => startIdentity(readConfig()));
