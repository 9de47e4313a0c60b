import { type Actor, type Caller, requireStaff, requireUser } from '@panel/rpc';
import type { PageQuery } from '@panel/kit/mongo';
import type { ServersContext } from '../../context.js';
import { nodeStatus } from '../../domain/nodes/node-status.js';
import { type Access, accessTo, requireAccess, serverNotFound } from '../../domain/servers/access.js';
import { isEngineReported, type OnlyServers, type ServerStatus, type ServerView } from '../../domain/servers/server.js';
import { loadServer } from './load-server.js';

const onlyStaff: Access = { isOwner: false, isStaff: true, permissions: [], pathRules: [] };

/** A server with the viewer's context. */
export interface VisibleServer {
  readonly server: ServerView;
  readonly access: Access;
  readonly asStaff: boolean;
  readonly isNodeOnline: boolean;
  /** Default timezone. */
  readonly timezone: string;
}

type ViewDeps = Pick<ServersContext, 'stores' | 'clock' | 'timezone'>;

export interface ServerFilter {
  /** Staff: servers of all users. */
  readonly isAll: boolean;
  readonly status: ServerStatus | 'unknown' | null;
  readonly only: OnlyServers;
}

/** Staff view if `asStaff`. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN, PERMISSION_DENIED. */
export async function getServer(
  context: ViewDeps,
  serverId: string,
  asStaff: boolean,
  caller: Caller,
): Promise<VisibleServer> {
  if (asStaff) requireStaff(caller);
  const server = await context.stores.servers.getView(serverId);
  requireAccess(server, caller);
  if (!server) throw serverNotFound();
  return viewServer(context, server, caller.actor, asStaff);
}

/** The user view. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function getStartup(context: ViewDeps, serverId: string, caller: Caller): Promise<VisibleServer> {
  return viewAsUser(context, serverId, caller);
}

/** The user view. Throws SERVER_NOT_FOUND, SERVER_FORBIDDEN. */
export async function listServerAllocations(
  context: ViewDeps,
  serverId: string,
  caller: Caller,
): Promise<VisibleServer> {
  return viewAsUser(context, serverId, caller);
}

async function viewAsUser(context: ViewDeps, serverId: string, caller: Caller): Promise<VisibleServer> {
  const { server } = await loadServer(context, serverId, caller);
  return viewServer(context, server, caller.actor, false);
}

/** Throws PERMISSION_DENIED. */
export async function listServers(
  context: ViewDeps,
  { isAll, status, only }: ServerFilter,
  page: PageQuery,
  caller: Caller,
): Promise<{ servers: VisibleServer[]; total: number }> {
  const { stores, clock } = context;
  if (isAll) requireStaff(caller);
  const userId = isAll ? null : requireUser(caller.actor).userId;
  const needsNodes = status === 'unknown' || (status !== null && isEngineReported(status));
  const unreachableNodes = needsNodes ? await stores.nodes.notOnline(clock()) : [];
  const { servers, total } = await stores.servers.list({ userId, status, only, unreachableNodes }, page);
  return { servers: await viewServers(context, servers, caller.actor, isAll), total };
}

/** Reads node health only for servers that may run. */
async function viewServers(
  context: ViewDeps,
  servers: readonly ServerView[],
  actor: Actor,
  asStaff: boolean,
): Promise<VisibleServer[]> {
  const online = await onlineNodes(context, servers);
  return servers.flatMap((server) => {
    // Staff with an action on all servers see its result.
    const access = accessTo(server, actor) ?? (asStaff ? onlyStaff : null);
    // Null in a list: access has just expired.
    const isNodeOnline = online.has(server.nodeId);
    return access ? [{ server, access, asStaff, isNodeOnline, timezone: context.timezone }] : [];
  });
}

/** Throws SERVER_NOT_FOUND. */
export async function viewServer(
  context: ViewDeps,
  server: ServerView,
  actor: Actor,
  asStaff: boolean,
): Promise<VisibleServer> {
  const [visible] = await viewServers(context, [server], actor, asStaff);
  if (!visible) throw serverNotFound();
  return visible;
}

/** For servers whose status depends on it. */
async function onlineNodes({ stores, clock }: ViewDeps, servers: readonly ServerView[]): Promise<ReadonlySet<string>> {
  const nodeIds = new Set(servers.filter(({ status }) => isEngineReported(status)).map(({ nodeId }) => nodeId));
  const healths = await Promise.all([...nodeIds].map(async (id) => [id, await stores.nodes.healthOf(id)] as const));
  const now = clock();
  const online = healths.filter(([, health]) => health !== null && nodeStatus(health, now) === 'online');
  return new Set(online.map(([id]) => id));
}
