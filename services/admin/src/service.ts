import { type Logger, type RunningProcess, startService } from '@panel/kit';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { AdminConfig } from './config.js';
import { createContext } from './context.js';
import { createHandlers } from './handlers/index.js';

/** Start admin: settings, mail and the activity log. */
export async function startAdmin(
  config: AdminConfig,
  overrides: { readonly log?: Logger } = {},
): Promise<RunningProcess> {
  return startService({
    name: 'admin',
    config,
    log: overrides.log,
    reflection: { root: protoRoot, files: protoFiles.admin },
    build: async (base) => ({ services: createHandlers(createContext(base, config)) }),
  });
}
