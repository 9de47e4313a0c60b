import { type Handler } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import type { OwnershipServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';

const maxUsers = 100;

export function countOwnedServers({ stores }: ServersContext): Handler<OwnershipServiceService['countOwnedServers']> {
  return async ({ userIds }) => {
    if (userIds.length > maxUsers) throw invalidFields({ user_ids: [`must be at most ${maxUsers}`] });
    return { countByUserId: Object.fromEntries(await stores.servers.countByOwner(userIds)) };
  };
}
