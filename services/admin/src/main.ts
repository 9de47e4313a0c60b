import { runProcess } from '@panel/kit';
import { readConfig } from './config.js';
import { startAdmin } from './service.js';

await runProcess('admin', async () => startAdmin(readConfig()));
