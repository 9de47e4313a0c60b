import type { RegistryServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentRegistry } from '../../present/registry.js';
import { getRegistry } from '../../usecases/registries/get-registry.js';

export function handleGetRegistry(context: ServersContext): Handler<RegistryServiceService['getRegistry']> {
  return async ({ registryId }) => ({ registry: presentRegistry(await getRegistry(context, registryId)) });
}
