import type { Job, RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import { recountAdmins } from './admins/count-admins.js';
import type { IdentityConfig } from './config.js';
import { createContext, type IdentityContext, type IdentityOverrides } from './context.js';
import { resumeDeletions } from './deletions/resume-deletions.js';
import { createHandlers } from './handlers/index.js';
import { migrations } from './models/migrations/index.js';
import { createMailJob } from './outbox/mail-job.js';
import { repairReferences } from './references/repair-references.js';

/** Maximum delay of settings changes. */
const policyIntervalMs = 2_000;
const deletionIntervalMs = 30_000;
const referenceIntervalMs = 60 * 60_000;
/** A run ends well within its lease. */
const referenceLeaseMs = 0.9 * referenceIntervalMs;

/** Resolves when it serves, with system roles and the last policy. */
export async function startIdentity(
  config: IdentityConfig,
  overrides: IdentityOverrides = {},
): Promise<RunningProcess> {
  let prepare: (() => Promise<void>) | undefined;
  return startService({
    name: 'identity',
    config,
    migrations,
    adminAddress: config.adminAddress,
    build: async (base) => {
      const context = await createContext(config, base, overrides);
      prepare = async () => prepareToServe(context);
      return {
        services: createHandlers(context),
        jobs: createIdentityJobs(context),
        afterStop: async () => context.epochs.stop(),
      };
    },
    onIndexed: async () => prepare?.(),
  });
}

async function prepareToServe(context: IdentityContext): Promise<void> {
  const { clock, policy, roles, roster } = context;
  await roles.ensureSystemRoles(clock());
  await roster.ensure();
  await recountAdmins(context);
  await policy.restore();
  // A process may have died before its bump: drops all gateway caches.
  await context.epochs.bumpAll();
}

function createIdentityJobs(context: IdentityContext): Job[] {
  const { activity, admin, outboxMetrics: metrics, policy } = context;
  return [
    {
      name: 'read-security-policy',
      intervalMs: policyIntervalMs,
      isTimed: false,
      run: async (signal) => policy.refresh(signal),
    },
    { name: 'finish-deletions', intervalMs: deletionIntervalMs, run: async () => resumeDeletions(context) },
    {
      name: 'repair-references',
      intervalMs: referenceIntervalMs,
      isTimed: false,
      lease: context.jobLease('repair-references', referenceLeaseMs),
      run: async (signal) => repairReferences(context, signal),
    },
    ...activity.jobs,
    ...(admin === null ? [] : [createMailJob({ ...context, mail: admin.mail, metrics })]),
  ];
}
