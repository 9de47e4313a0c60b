import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';
import { getDatabaseHost } from '../../usecases/database-hosts/get-database-host.js';

export function handleGetDatabaseHost(context: ServersContext): Handler<DatabaseHostServiceService['getDatabaseHost']> {
  return async ({ hostId }) => ({ host: presentHost(await getDatabaseHost(context, hostId)) });
}
