import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteDatabase as remove } from '../../usecases/databases/delete-database.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function deleteDatabase(context: ServersContext): Handler<DatabaseServiceService['deleteDatabase']> {
  return async ({ serverId, databaseId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    await remove(context, server, databaseId);
    return {};
  };
}
