import type { ServersContext } from '../../context.js';

/** By user id. */
export async function countOwnedServers(
  { stores }: Pick<ServersContext, 'stores'>,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  return stores.servers.countByOwner(userIds);
}

/** For a deleted user. */
export async function removeUserFromServers({ stores }: Pick<ServersContext, 'stores'>, userId: string): Promise<void> {
  await stores.servers.subusers.removeUser(userId);
}
