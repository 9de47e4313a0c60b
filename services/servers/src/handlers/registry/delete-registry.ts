import type { RegistryServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteRegistry } from '../../usecases/registries/delete-registry.js';

export function handleDeleteRegistry(context: ServersContext): Handler<RegistryServiceService['deleteRegistry']> {
  return async ({ registryId }) => {
    await deleteRegistry(context, registryId);
    return {};
  };
}
