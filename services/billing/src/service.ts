import type { Logger, RunningProcess } from '@panel/kit';
import { startService } from '@panel/rpc';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { BillingConfig } from './config.js';
import { createContext } from './context.js';
import { createHandlers } from './handlers/index.js';

/** Start billing: products and what is sold of them. */
export async function startBilling(
  config: BillingConfig,
  overrides: { readonly log?: Logger } = {},
): Promise<RunningProcess> {
  return startService({
    name: 'billing',
    config,
    log: overrides.log,
    reflection: { root: protoRoot, files: protoFiles.billing },
    build: async (base) => ({ services: createHandlers(createContext(base)) }),
  });
}
