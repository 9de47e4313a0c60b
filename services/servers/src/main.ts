import { runProcess } from '@panel/kit/process';
import { readConfig } from './config.js';
import { startServers } from './service.js';

await runProcess('servers', async () => startServers(readConfig()));
