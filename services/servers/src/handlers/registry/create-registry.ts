import type { RegistryServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentRegistry } from '../../present/registry.js';
import { createRegistry } from '../../usecases/registries/create-registry.js';
import { readNewRegistry } from './read-request.js';

export function handleCreateRegistry(context: ServersContext): Handler<RegistryServiceService['createRegistry']> {
  return async (request, { idempotencyId }) => {
    return { registry: presentRegistry(await createRegistry(context, readNewRegistry(request), idempotencyId)) };
  };
}
