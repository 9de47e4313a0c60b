import { runProcess } from '@panel/kit';
import { readConfig } from './config.js';
import { startFiles } from './service.js';

await runProcess('files', async () => startFiles(readConfig()));
