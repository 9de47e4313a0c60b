import { type RunningProcess, startService } from '@panel/kit';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { IdentityConfig } from './config.js';
import { createContext, type IdentityContext, type IdentityOverrides } from './context.js';
import { identityServices } from './handlers/index.js';

/** Start the identity service; resolves when it serves and the system roles exist. */
export async function startIdentity(
  config: IdentityConfig,
  overrides: IdentityOverrides = {},
): Promise<RunningProcess> {
  let context: IdentityContext | undefined;
  return startService({
    name: 'identity',
    config,
    reflection: { root: protoRoot, files: protoFiles.identity },
    build: async (base) => {
      const built = await createContext(config, base, overrides);
      context = built;
      return { services: identityServices(built), afterStop: async () => built.epochs.stop() };
    },
    onIndexed: async () => context?.roles.ensureSystemRoles(context.clock()),
  });
}
