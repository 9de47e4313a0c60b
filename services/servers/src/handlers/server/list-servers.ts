import { type Handler, presentEach, requireStaff, requireUser } from '@panel/rpc';
import { invalidFields } from '@panel/kit/errors';
import { parsePage } from '@panel/kit/mongo';
import {
  EncodedServer,
  type ListServersRequest,
  ListServersRequest_Scope,
  type ListServersResponse,
  Server,
  type ServerServiceService,
} from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { isEngineReported, type OnlyServers } from '../../domain/servers/server.js';
import { ListedServers, ServerEncoder } from '../../present/encoded-servers.js';
import { presentDamagedServer, presentServer, readStatus } from '../../present/server.js';
import { viewServers, type VisibleServer } from '../../usecases/servers/server-view.js';

export const sortable = {
  created_at: 'createdAt',
  name: 'nameKey',
  status: 'status',
  memory: 'limits.memoryMb',
  cpu: 'limits.cpuPercent',
  disk: 'limits.diskMb',
};

/** The actor's own servers, or all of them for staff. */
export function listServers(context: ServersContext): Handler<ServerServiceService['listServers']> {
  const { servers: store, nodes } = context.stores;
  const encoder = new ServerEncoder(context.timezone);
  return async (request, call) => {
    const { actor } = call;
    const isAll = isAllServers(request);
    if (isAll) requireStaff(call);
    const userId = isAll ? null : requireUser(actor).userId;
    const page = parsePage(request.page, sortable);
    const status = readStatus(request.status);
    const needsNodes = status === 'unknown' || (status !== null && isEngineReported(status));
    const unreachableNodes = needsNodes ? await nodes.notOnline(context.clock()) : [];
    const { servers, total } = await store.list({ userId, status, only: wantedOnly(request), unreachableNodes }, page);
    const visible = await viewServers(context, servers, actor, isAll);
    const answer: ListServersResponse = {
      servers: [],
      page: { page: page.page, perPage: page.perPage, total },
      variables: [],
      listed: [],
    };
    if (request.sharesVariables) {
      const list = new ListedServers(encoder);
      const damaged = isAll ? ({ server }: VisibleServer) => list.addDamaged(server) : undefined;
      const listed = presentEach(call, visible, (one) => list.add(one), EncodedServer, damaged);
      return { ...answer, listed, variables: list.variables };
    }
    const common = { timezone: context.timezone, withoutCommands: !isAll };
    const present = ({ server, ...view }: VisibleServer) => presentServer(server, { ...view, ...common });
    const damaged = isAll ? ({ server }: VisibleServer) => presentDamagedServer(server) : undefined;
    return { ...answer, servers: presentEach(call, visible, present, Server, damaged) };
  };
}

/** Throws INVALID_FIELDS without a scope, and for filters that only lists of all servers have. */
function isAllServers({ scope, userId, nodeId, eggId, externalId }: ListServersRequest): boolean {
  if (scope === ListServersRequest_Scope.ALL) return true;
  if (scope !== ListServersRequest_Scope.OWN)
    throw invalidFields({ scope: ['must be SCOPE_OWN (servers of the actor) or SCOPE_ALL (all, for staff)'] });
  const isFiltered = [userId, nodeId, eggId, externalId].some((value) => value !== '');
  if (isFiltered) throw invalidFields({ scope: ['must be SCOPE_ALL with user_id, node_id, egg_id or external_id'] });
  return false;
}

function wantedOnly({ userId, nodeId, eggId, externalId }: ListServersRequest): OnlyServers {
  return {
    ...(userId !== '' && { ownerId: userId }),
    ...(nodeId !== '' && { nodeId }),
    ...(eggId !== '' && { eggId }),
    ...(externalId !== '' && { externalId }),
  };
}
