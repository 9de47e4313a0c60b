import type { ServersContext } from '../../context.js';

/** How many servers each user owns. */
export async function countOwnedServers(
  { stores }: Pick<ServersContext, 'stores'>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return stores.servers.countByOwner(userIds);
}

/** Take a deleted user off the servers that were shared with them. */
export async function removeUserFromServers({ stores }: Pick<ServersContext, 'stores'>, userId: string): Promise<void> {
  await stores.servers.subusers.removeUser(userId);
}
