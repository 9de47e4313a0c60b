import type { Logger, RunningProcess } from '@panel/kit';
import { startService } from '@panel/rpc';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { FilesConfig } from './config.js';
import { createContext } from './context.js';
import { createHandlers } from './handlers/index.js';

const trashIntervalMs = 60 * 60_000;

/** Start files: the directories of the servers of one node, and the work inside them. */
export async function startFiles(
  config: FilesConfig,
  overrides: { readonly log?: Logger } = {},
): Promise<RunningProcess> {
  return startService({
    name: 'files',
    config,
    log: overrides.log,
    reflection: { root: protoRoot, files: protoFiles.files },
    build: async (base) => {
      const context = await createContext(base, config);
      base.tasks.every('empty the trash', trashIntervalMs, async (signal) => context.volumes.removeLeftovers(signal));
      base.tasks.every('forget old transfers', trashIntervalMs, async (signal) => context.transfers.sweep(signal));
      base.tasks.every('forget old freezes', trashIntervalMs, async () => context.freezes.sweep());
      base.tasks.every('forget old creations', trashIntervalMs, async (signal) => context.creations.sweep(signal));
      return {
        services: createHandlers(context),
        checks: { data_root: async () => context.volumes.check() },
      };
    },
  });
}
