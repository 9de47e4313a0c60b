import type { Job, RunningProcess } from '@panel/kit';
import { startService } from '@panel/rpc';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { IdentityConfig } from './config.js';
import { createContext, type IdentityContext, type IdentityOverrides } from './context.js';
import { recountAll } from './domain/admins.js';
import { finishDeletions } from './domain/deletion.js';
import { identityServices } from './handlers/index.js';

/** How soon a change of the settings holds here. */
const policyIntervalMs = 2_000;
const newsIntervalMs = 1_000;
const deletionIntervalMs = 30_000;

/** Start the identity service; resolves when it serves, the system roles exist and the last known policy holds. */
export async function startIdentity(
  config: IdentityConfig,
  overrides: IdentityOverrides = {},
): Promise<RunningProcess> {
  let prepare: (() => Promise<void>) | undefined;
  return startService({
    name: 'identity',
    config,
    reflection: { root: protoRoot, files: protoFiles.identity },
    build: async (base) => {
      const context = await createContext(config, base, overrides);
      prepare = async () => prepareToServe(context);
      return {
        services: identityServices(context),
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
  await recountAll(context);
  await policy.restore();
  // A process that died between a change and its announcement has left gateways with old answers.
  await context.epochs.changedForAll();
}

function createIdentityJobs(context: IdentityContext): Job[] {
  const { news, policy } = context;
  const jobs: Job[] = [
    { name: 'read-security-policy', intervalMs: policyIntervalMs, run: async (signal) => policy.refresh(signal) },
    { name: 'finish-deletions', intervalMs: deletionIntervalMs, run: async () => finishDeletions(context) },
  ];
  if (news)
    jobs.push({ name: 'deliver-outbox', intervalMs: newsIntervalMs, run: async (signal) => news.deliver(signal) });
  return jobs;
}
