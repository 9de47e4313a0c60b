import { allowHeapGrowth, runProcess } from '@panel/kit/process';
import { readConfig } from './config.js';
import { startFiles } from './service.js';

allowHeapGrowth();
await runProcess('files', async () => startFiles(readConfig()));
