import type { Caller } from '@panel/rpc';
import type { ServerPermission } from '@panel/protos/permissions';
import type { ServersContext } from '../../context.js';
import { type Access, requireAccess, serverNotFound } from '../../domain/servers/access.js';
import type { GameNode, NodeConnection } from '../../domain/nodes/node.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/** By the RPC's permissions: `requireAccess`. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function loadServer(
  { stores }: Pick<ServersContext, 'stores'>,
  serverId: string,
  caller: Caller,
  exact?: ServerPermission,
): Promise<{ server: GameServer; access: Access }> {
  const server = await stores.servers.get(serverId);
  const access = requireAccess(server, caller, exact);
  if (!server) throw serverNotFound();
  return { server, access };
}

/** Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function loadMetered({ servers }: Pick<Stores, 'servers'>, serverId: string, caller: Caller) {
  const server = await servers.getMetered(serverId);
  requireAccess(server, caller);
  if (!server) throw serverNotFound();
  return server;
}

/** Cheaper than `nodeOf`. Throws NODE_NOT_FOUND. */
export async function connectionOf(
  { stores }: Pick<ServersContext, 'stores'>,
  { nodeId }: Pick<GameServer, 'nodeId'>,
): Promise<NodeConnection> {
  const node = await stores.nodes.getConnection(nodeId);
  if (!node) throw fail('NODE_NOT_FOUND', 'the node of this server no longer exists', { node_id: nodeId });
  return node;
}

/** Throws NODE_NOT_FOUND. */
export async function nodeOf(
  { stores }: Pick<ServersContext, 'stores'>,
  server: Pick<GameServer, 'nodeId'>,
): Promise<GameNode> {
  const node = await stores.nodes.get(server.nodeId);
  if (!node) throw fail('NODE_NOT_FOUND', 'the node of this server no longer exists', { node_id: server.nodeId });
  return node;
}
