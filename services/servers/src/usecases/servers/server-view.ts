import type { Actor } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { nodeStatus } from '../../domain/nodes/node.js';
import { type Access, accessTo, serverNotFound } from '../../domain/servers/access.js';
import { isEngineReported, type ServerView } from '../../domain/servers/server.js';

const onlyStaff: Access = { isOwner: false, isStaff: true, permissions: [], pathRules: [] };

/** A server with what decides how an actor sees it. */
export interface VisibleServer {
  readonly server: ServerView;
  readonly access: Access;
  readonly asStaff: boolean;
  /** Whether the engine of its node is reached. */
  readonly isNodeOnline: boolean;
}

/** Servers as an actor sees them; the health of a node is read only for servers that may run. */
export async function viewServers(
  context: ServersContext,
  servers: readonly ServerView[],
  actor: Actor,
  asStaff: boolean,
): Promise<VisibleServer[]> {
  const online = await onlineNodes(context, servers);
  return servers.flatMap((server) => {
    // Who may do something to all servers (suspend, say) may see what came of it.
    const access = accessTo(server, actor) ?? (asStaff ? onlyStaff : null);
    // In a list: access that has ended a moment ago.
    return access ? [{ server, access, asStaff, isNodeOnline: online.has(server.nodeId) }] : [];
  });
}

/** One server as an actor sees it. Throws SERVER_NOT_FOUND. */
export async function viewServer(
  context: ServersContext,
  server: ServerView,
  actor: Actor,
  asStaff: boolean,
): Promise<VisibleServer> {
  const [visible] = await viewServers(context, [server], actor, asStaff);
  if (!visible) throw serverNotFound();
  return visible;
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
