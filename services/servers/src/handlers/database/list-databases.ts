import { Database, type DatabaseServiceService } from '@panel/protos/servers';
import { type Handler, presentEach } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentDatabase } from '../../present/database.js';
import { listDatabases } from '../../usecases/databases/list-databases.js';

export function handleListDatabases(context: ServersContext): Handler<DatabaseServiceService['listDatabases']> {
  return async ({ serverId }, call) => {
    const found = await listDatabases(context, serverId, call);
    return { databases: presentEach(call, found, presentDatabase, Database) };
  };
}
