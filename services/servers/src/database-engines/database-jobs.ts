import type { Job } from '@panel/kit/process';
import { resumeHostRemovals } from './forget-host.js';
import { reconcileHosts } from './reconcile-hosts.js';
import type { DatabaseWorker } from './database-worker.js';
import type { DatabaseDeps } from './dependencies.js';

const workMs = 1_000;
const removalMs = 5_000;
/** Of the due check only. */
const dueCheckMs = 30_000;

/** On each replica; items are claimed. */
export function createDatabaseJobs(
  deps: DatabaseDeps & Parameters<typeof resumeHostRemovals>[0],
  worker: DatabaseWorker,
  reconcileMs: number,
): Job[] {
  return [
    { name: 'run-database-operations', intervalMs: workMs, run: () => worker.tick() },
    { name: 'remove-database-hosts', intervalMs: removalMs, run: () => resumeHostRemovals(deps) },
    {
      name: 'reconcile-database-hosts',
      intervalMs: Math.min(dueCheckMs, reconcileMs),
      run: () => reconcileHosts(deps, reconcileMs),
    },
  ];
}
