import type { OwnershipServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { removeUserFromServers } from '../../usecases/ownership/owned-servers.js';

export function handleRemoveUserFromServers(
  context: ServersContext,
): Handler<OwnershipServiceService['removeUserFromServers']> {
  return async ({ userId }) => {
    await removeUserFromServers(context, userId);
    return {};
  };
}
