import type { Job, Logger, RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { ServersConfig } from './config.js';
import { type ContextOverrides, createContext, type ServersContext } from './context.js';
import { createHandlers } from './handlers/index.js';
import { createReferenceJobs } from './references/reference-jobs.js';
import { createDatabaseJobs } from './database-engines/database-jobs.js';

/** Start servers: game servers, the nodes they run on, and the eggs they are made of. */
export async function startServers(
  config: ServersConfig,
  overrides: ContextOverrides & { readonly log?: Logger } = {},
): Promise<RunningProcess> {
  const parts: { context?: ServersContext } = {};
  const running = await startService({
    name: 'servers',
    config,
    log: overrides.log,
    reflection: { root: protoRoot, files: protoFiles.servers },
    build: async (base) => {
      const context = createContext(config, base, overrides);
      parts.context = context;
      return {
        services: createHandlers(context),
        jobs: [
          ...context.activity.createJobs(),
          ...context.subuserJobs,
          ...createScheduleJobs(context),
          ...createReferenceJobs(context, base, config.referenceCheckMs),
          ...createDatabaseJobs(context, context.databaseWorker, config.databaseReconcileMs),
        ],
        beforeStop: () => context.orchestrator.stop(),
        afterStop: async () => {
          context.limits.close();
          await context.orchestrator.close();
        },
      };
    },
  });
  // Only now is the address known under which other replicas find this one.
  parts.context?.orchestrator.start(config.advertiseAddress ?? running.addresses.listen);
  return running;
}

const scheduleTickMs = 1_000;
const playerRefreshMs = 5_000;

function createScheduleJobs({ schedules, players }: ServersContext): Job[] {
  return [
    { name: 'run-schedules', intervalMs: scheduleTickMs, run: (signal) => schedules.tick(signal) },
    { name: 'refresh-player-watch', intervalMs: playerRefreshMs, run: () => players.refresh() },
  ];
}
