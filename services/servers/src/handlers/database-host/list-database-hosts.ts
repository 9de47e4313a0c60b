import { parsePage } from '@panel/kit/mongo';
import { DatabaseHost, type DatabaseHostServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';
import { listDatabaseHosts } from '../../usecases/database-hosts/get-database-host.js';
import { pageInfo } from '../read-request.js';

export function handleListDatabaseHosts(
  context: ServersContext,
): Handler<DatabaseHostServiceService['listDatabaseHosts']> {
  return async (request, call) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { hosts, total } = await listDatabaseHosts(context, request.nodeId, page);
    return { hosts: presentEach(call, hosts, presentHost, DatabaseHost), page: pageInfo(page, total) };
  };
}
