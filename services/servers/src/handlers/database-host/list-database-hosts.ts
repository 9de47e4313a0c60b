import { parsePage } from '@panel/kit/mongo';
import { DatabaseHost, type DatabaseHostServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';

export function listDatabaseHosts({
  stores,
}: ServersContext): Handler<DatabaseHostServiceService['listDatabaseHosts']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { hosts, total } = await stores.databaseHosts.list(page, request.nodeId);
    return {
      hosts: presentEach(call, hosts, presentHost, DatabaseHost),
      page: { page: page.page, perPage: page.perPage, total },
    };
  };
}
