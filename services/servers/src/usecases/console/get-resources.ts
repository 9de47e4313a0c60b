import type { Caller } from '@panel/rpc';
import type { MeteredServer, Resources } from '../../console/console-events.js';
import type { ServersContext } from '../../context.js';
import { accessTo } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import { connectionOf, loadMetered } from '../servers/load-server.js';

type ResourceDeps = Pick<ServersContext, 'stores' | 'meter'>;

/** Also for a suspended or locked server: looking changes nothing. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function getResources(context: ResourceDeps, serverId: string, caller: Caller): Promise<Resources> {
  return read(context, await loadMetered(context.stores, serverId, caller));
}

/**
 * The usage of servers by id; none of those that the caller may not see. Two queries at most for all of them, and what their
 * engines answer in time.
 */
export async function batchGetResources(
  context: ResourceDeps,
  serverIds: readonly string[],
  { actor }: Caller,
): Promise<ReadonlyMap<string, Resources>> {
  const found = await Promise.all(serverIds.map((serverId) => context.stores.servers.getMetered(serverId)));
  const visible = found.flatMap((server) => (server && accessTo(server, actor) ? [server] : []));
  return new Map(await Promise.all(visible.map(async (server) => [server.id, await read(context, server)] as const)));
}

async function read(context: ResourceDeps, server: MeteredServer & Pick<GameServer, 'nodeId'>): Promise<Resources> {
  return context.meter.read(server, async () => connectionOf(context, server));
}
