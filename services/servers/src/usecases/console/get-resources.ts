import type { Caller } from '@panel/rpc';
import type { MeteredServer, Resources } from '../../console/console-events.js';
import type { ServersContext } from '../../context.js';
import { accessTo } from '../../domain/servers/access.js';
import type { GameServer } from '../../domain/servers/server.js';
import { connectionOf, loadMetered } from '../servers/load-server.js';

type ResourceDeps = Pick<ServersContext, 'stores' | 'meter'>;

/** Also for suspended and locked servers. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function getResources(context: ResourceDeps, serverId: string, caller: Caller): Promise<Resources> {
  return read(context, await loadMetered(context.stores, serverId, caller));
}

/** By id, without servers closed to the caller. Two queries at most, and the engines' timely answers. */
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
