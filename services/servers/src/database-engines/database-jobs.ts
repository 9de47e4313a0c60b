import type { Job } from '@panel/kit/process';
import { reconcileHosts } from './reconcile-hosts.js';
import type { DatabaseWorker } from './database-worker.js';
import type { DatabaseDeps } from './deps.js';

const workMs = 1_000;
/** Interval of the due check; hosts are compared at the configured interval. */
const dueCheckMs = 30_000;

/** Runs on each replica; each item is claimed. */
export function createDatabaseJobs(deps: DatabaseDeps, worker: DatabaseWorker, reconcileMs: number): Job[] {
  return [
    { name: 'run-database-operations', intervalMs: workMs, run: () => worker.tick() },
    {
      name: 'reconcile-database-hosts',
      intervalMs: Math.min(dueCheckMs, reconcileMs),
      run: () => reconcileHosts(deps, reconcileMs),
    },
  ];
}
