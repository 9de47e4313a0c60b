import type { RegistryServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentRegistry } from '../../present/registry.js';
import { updateRegistry } from '../../usecases/registries/update-registry.js';
import { readRegistryUpdate } from './read-request.js';

export function handleUpdateRegistry(context: ServersContext): Handler<RegistryServiceService['updateRegistry']> {
  return async (request) => {
    const registry = await updateRegistry(context, request.registryId, readRegistryUpdate(request));
    return { registry: presentRegistry(registry) };
  };
}
