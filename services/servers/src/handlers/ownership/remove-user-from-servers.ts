import type { Handler } from '@panel/rpc';
import type { OwnershipServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';

/** Take a deleted user off the servers that were shared with them. */
export function removeUserFromServers({
  stores,
}: ServersContext): Handler<OwnershipServiceService['removeUserFromServers']> {
  return async ({ userId }) => {
    await stores.servers.subusers.removeUser(userId);
    return {};
  };
}
