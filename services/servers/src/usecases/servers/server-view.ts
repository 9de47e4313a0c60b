import type { Actor } from '@panel/rpc';
import type { Server as ServerMessage } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { nodeStatus } from '../../domain/nodes/node.js';
import { type Access, accessTo, serverNotFound } from '../../domain/servers/access.js';
import { isEngineReported, type ServerView } from '../../domain/servers/server.js';
import { presentServer } from '../../present/server.js';

const onlyStaff: Access = { isOwner: false, isStaff: true, permissions: [] };

/** Messages for some servers, from their documents; only for those that may run, the health of their nodes is read too. */
export async function showServers(
  context: ServersContext,
  servers: readonly ServerView[],
  actor: Actor,
  asStaff: boolean,
): Promise<ServerMessage[]> {
  const online = await onlineNodes(context, servers);
  return servers.map((server) => {
    // Who may do something to all servers (suspend, say) may see what came of it.
    const access = accessTo(server, actor) ?? (asStaff ? onlyStaff : null);
    if (!access) throw serverNotFound();
    const isNodeOnline = online.has(server.nodeId);
    return presentServer(server, { access, asStaff, isNodeOnline, timezone: context.timezone });
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

/** The nodes whose engine is reached, of those servers whose status depends on it. */
async function onlineNodes(
  { stores, clock }: ServersContext,
  servers: readonly ServerView[],
): Promise<ReadonlySet<string>> {
  const nodeIds = new Set(servers.filter(({ status }) => isEngineReported(status)).map(({ nodeId }) => nodeId));
  const healths = await Promise.all([...nodeIds].map(async (id) => [id, await stores.nodes.healthOf(id)] as const));
  const now = clock();
  const online = healths.filter(([, health]) => health !== null && nodeStatus(health, now) === 'online');
  return new Set(online.map(([id]) => id));
}
