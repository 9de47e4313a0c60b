import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';
import { updateDatabaseHost } from '../../usecases/database-hosts/update-database-host.js';
import { readHostUpdate } from './read-request.js';

export function handleUpdateDatabaseHost(
  context: ServersContext,
): Handler<DatabaseHostServiceService['updateDatabaseHost']> {
  return async (request) => {
    return { host: presentHost(await updateDatabaseHost(context, request.hostId, readHostUpdate(request))) };
  };
}
