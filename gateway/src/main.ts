import cluster from 'node:cluster';
import { allowHeapGrowth, runProcess } from '@panel/kit/process';
import { readConfig } from './config.js';
import { startGateway } from './gateway.js';
import { startWorkers } from './workers.js';

allowHeapGrowth();
await runProcess('gateway', async () => {
  const config = readConfig();
  return cluster.isPrimary && config.workers > 1 ? startWorkers(config) : startGateway(config);
});
