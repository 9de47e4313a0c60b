import { Database, type DatabaseServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentDatabase } from '../../present/database.js';
import { listDatabases as list } from '../../usecases/databases/list-databases.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function listDatabases(context: ServersContext): Handler<DatabaseServiceService['listDatabases']> {
  return async ({ serverId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    const found = await list(context, server);
    return { databases: presentEach(call, found, ({ database, host }) => presentDatabase(database, host), Database) };
  };
}
