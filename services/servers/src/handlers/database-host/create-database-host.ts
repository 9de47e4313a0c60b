import type { DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { presentHost } from '../../present/database.js';
import { createDatabaseHost } from '../../usecases/database-hosts/create-database-host.js';
import { readNewHost } from './read-request.js';

export function handleCreateDatabaseHost(
  context: ServersContext,
): Handler<DatabaseHostServiceService['createDatabaseHost']> {
  return async (request, { idempotencyId }) => {
    return { host: presentHost(await createDatabaseHost(context, readNewHost(request), idempotencyId)) };
  };
}
