import type { DatabaseServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { requireAccess } from '../../domain/servers/access.js';
import { presentDatabase } from '../../present/database.js';
import { hostOf, loadDatabase } from '../../database-engines/load-database.js';
import { rotatePassword } from '../../usecases/databases/rotate-password.js';
import { loadServer } from '../../usecases/servers/load-server.js';

export function rotateDatabasePassword(
  context: ServersContext,
): Handler<DatabaseServiceService['rotateDatabasePassword']> {
  return async ({ serverId, databaseId }, call) => {
    const { server } = await loadServer(context, serverId, call);
    // A caller who may not see the new password would lock the game out of its own database.
    requireAccess(server, call, 'database.view_password');
    const database = await loadDatabase(context.stores, server, databaseId);
    const rotated = await rotatePassword(context, database);
    const host = await hostOf(context.stores, database);
    return { database: presentDatabase(rotated.database, host), password: rotated.password };
  };
}
