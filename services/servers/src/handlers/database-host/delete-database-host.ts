import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteDatabaseHost } from '../../usecases/database-hosts/get-database-host.js';

export function handleDeleteDatabaseHost(
  context: ServersContext,
): Handler<DatabaseHostServiceService['deleteDatabaseHost']> {
  return async ({ hostId }) => {
    await deleteDatabaseHost(context, hostId);
    return {};
  };
}
