import { createJobLeases } from '@panel/kit/mongo';
import type { Job } from '@panel/kit/process';
import type { ServiceBase } from '@panel/rpc';
import { Gauge } from 'prom-client';
import { createReferenceStore } from '../models/references.js';
import { repairReferences, type RepairReferencesDeps } from './repair-references.js';

/** Lifetime of a deletion claim in identity. */
const claimMs = 60_000;
/** A run ends before its lease. */
const leaseShare = 0.9;

/** One replica runs it. */
export function createReferenceJobs(
  { stores, users, activity, log }: Pick<RepairReferencesDeps, 'stores' | 'users' | 'activity' | 'log'>,
  base: Pick<ServiceBase, 'mongo' | 'metrics'>,
  intervalMs: number,
): Job[] {
  const gauge = new Gauge({
    name: 'servers_missing_references',
    help: 'Servers whose owner, node or egg is gone, and servers that are gone and have databases, by reference.',
    labelNames: ['reference'],
    registers: [base.metrics.registry],
  });
  const references = createReferenceStore(base.mongo);
  const deps = { references, stores, users, activity, log, gauge, claimMs: Math.min(claimMs, intervalMs / 10) };
  return [
    {
      name: 'repair-references',
      intervalMs,
      isTimed: false,
      lease: createJobLeases(base.mongo)('repair-references', Math.floor(intervalMs * leaseShare)),
      run: async (signal) => repairReferences(deps, signal),
    },
  ];
}
