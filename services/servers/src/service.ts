import type { Logger, RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import type { ServersConfig } from './config.js';
import { createHandlers } from './handlers/index.js';
import { migrations } from './models/migrations/index.js';
import { readInstallationId } from './models/nodes/installation.js';
import { Orchestrator } from './orchestrator/orchestrator.js';
import type { Overrides } from './orchestrator/overrides.js';

/** Starts the service of game servers, nodes and eggs. */
export async function startServers(
  config: ServersConfig,
  overrides: Overrides & { readonly log?: Logger } = {},
): Promise<RunningProcess> {
  const parts: { orchestrator?: Orchestrator } = {};
  const running = await startService({
    name: 'servers',
    config,
    migrations,
    adminAddress: config.adminAddress,
    log: overrides.log,
    build: async (base) => {
      const installationId = await readInstallationId(base.mongo);
      const orchestrator = new Orchestrator(config, base, installationId, overrides);
      parts.orchestrator = orchestrator;
      return {
        services: createHandlers(orchestrator.context),
        jobs: orchestrator.createJobs(),
        beforeStop: () => orchestrator.stop(),
        afterStop: () => orchestrator.close(),
      };
    },
  });
  // The address for other replicas is known only now.
  parts.orchestrator?.start(config.advertiseAddress ?? running.addresses.listen);
  return running;
}
