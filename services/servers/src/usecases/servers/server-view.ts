import type { Actor } from '@panel/rpc';
import type { Server as ServerMessage } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { type Access, accessTo, serverNotFound } from '../../domain/servers/access.js';
import type { ServerView } from '../../domain/servers/server.js';
import { presentServer } from '../../present/server.js';

const onlyStaff: Access = { isOwner: false, isStaff: true, permissions: [] };

/** Messages for some servers, with two queries for all their nodes and allocations. */
export async function showServers(
  { stores, clock, timezone }: ServersContext,
  servers: readonly ServerView[],
  actor: Actor,
  asStaff: boolean,
): Promise<ServerMessage[]> {
  if (servers.length === 0) return [];
  const [nodes, allocations] = await Promise.all([
    stores.nodes.getMany([...new Set(servers.map(({ nodeId }) => nodeId))]),
    stores.allocations.ofServers(servers.map(({ id }) => id)),
  ]);
  const nodeById = new Map(nodes.map((node) => [node.id, node]));
  return servers.map((server) => {
    // Who may do something to all servers (suspend, say) may see what came of it.
    const access = accessTo(server, actor) ?? (asStaff ? onlyStaff : null);
    if (!access) throw serverNotFound();
    return presentServer(server, {
      access,
      asStaff,
      node: nodeById.get(server.nodeId),
      allocations: allocations.filter(({ id }) => server.allocationIds.includes(id)),
      timezone,
      now: clock(),
    });
  });
}

export async function showServer(
  context: ServersContext,
  server: ServerView,
  actor: Actor,
  asStaff: boolean,
): Promise<ServerMessage> {
  const [message] = await showServers(context, [server], actor, asStaff);
  if (!message) throw serverNotFound();
  return message;
}
