import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHostReport } from '../../present/database.js';
import { getDatabaseHostReport } from '../../usecases/database-hosts/get-database-host.js';

export function handleGetDatabaseHostReport(
  context: ServersContext,
): Handler<DatabaseHostServiceService['getDatabaseHostReport']> {
  return async ({ hostId, fresh }) => presentHostReport(await getDatabaseHostReport(context, hostId, fresh));
}
