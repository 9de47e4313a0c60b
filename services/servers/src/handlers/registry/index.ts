import { withActivity } from '@panel/activity';
import { RegistryServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { registryDeletedEvent, registryEvent } from '../../present/activity-events.js';
import { handleCreateRegistry } from './create-registry.js';
import { handleDeleteRegistry } from './delete-registry.js';
import { handleGetRegistry } from './get-registry.js';
import { handleListRegistries } from './list-registries.js';
import { handleUpdateRegistry } from './update-registry.js';

export function serveRegistries(context: ServersContext): ServedService {
  const { activity } = context;
  return serve(RegistryServiceService, {
    createRegistry: withActivity(activity, handleCreateRegistry(context), registryEvent('registry:create')),
    deleteRegistry: withActivity(activity, handleDeleteRegistry(context), registryDeletedEvent),
    getRegistry: handleGetRegistry(context),
    listRegistries: handleListRegistries(context),
    updateRegistry: withActivity(activity, handleUpdateRegistry(context), registryEvent('registry:update')),
  });
}
