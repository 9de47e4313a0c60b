import type { OwnershipServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { countOwnedServers } from '../../usecases/ownership/owned-servers.js';
import { readIds } from '../read-request.js';

export function handleCountOwnedServers(
  context: ServersContext,
): Handler<OwnershipServiceService['countOwnedServers']> {
  return async ({ userIds }) => {
    const counts = await countOwnedServers(context, readIds('user_ids', userIds));
    return { countByUserId: Object.fromEntries(counts) };
  };
}
