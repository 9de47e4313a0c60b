import { OwnershipServiceService } from '@panel/protos/servers';
import { serve, type ServedService } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { handleCountOwnedServers } from './count-owned-servers.js';
import { handleRemoveUserFromServers } from './remove-user-from-servers.js';

export function serveOwnership(context: ServersContext): ServedService {
  return serve(OwnershipServiceService, {
    countOwnedServers: handleCountOwnedServers(context),
    removeUserFromServers: handleRemoveUserFromServers(context),
  });
}
