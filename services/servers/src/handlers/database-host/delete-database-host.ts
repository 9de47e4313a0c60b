import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { deleteDatabaseHost } from '../../usecases/database-hosts/delete-database-host.js';

export function handleDeleteDatabaseHost(
  context: ServersContext,
): Handler<DatabaseHostServiceService['deleteDatabaseHost']> {
  return async ({ hostId, force }, { actor }) => ({
    forgottenDatabasesCount: await deleteDatabaseHost(context, { hostId, force }, actor),
  });
}
