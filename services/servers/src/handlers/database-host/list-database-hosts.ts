import { parsePage } from '@panel/kit';
import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';

export function listDatabaseHosts({
  stores,
}: ServersContext): Handler<DatabaseHostServiceService['listDatabaseHosts']> {
  return async (request) => {
    const page = parsePage(request.page, { created_at: 'createdAt', name: 'nameKey' });
    const { hosts, total } = await stores.databaseHosts.list(page, request.nodeId);
    return { hosts: hosts.map(presentHost), page: { page: page.page, perPage: page.perPage, total } };
  };
}
