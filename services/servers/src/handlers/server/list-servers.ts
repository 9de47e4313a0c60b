import { type Handler, requireStaff, requireUser } from '@panel/rpc';
import { parsePage } from '@panel/kit';
import { ListServersRequest_Scope, type ServerServiceService } from '@panel/protos/servers';
import type { ServersContext } from '../../context.js';
import { isEngineReported } from '../../domain/servers/server.js';
import { readStatus } from '../../present/server.js';
import { showServers } from './show-server.js';

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
  return async (request, call) => {
    const { actor } = call;
    const isAll = request.scope === ListServersRequest_Scope.ALL;
    if (isAll) requireStaff(call);
    const userId = isAll ? null : requireUser(actor).userId;
    const page = parsePage(request.page, sortable);
    const status = readStatus(request.status);
    const needsNodes = status === 'unknown' || (status !== null && isEngineReported(status));
    const unreachableNodes = needsNodes ? await nodes.notOnline(context.clock()) : [];
    const { servers, total } = await store.list({ userId, status, unreachableNodes }, page);
    return {
      servers: await showServers(context, servers, actor, isAll, !isAll),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
