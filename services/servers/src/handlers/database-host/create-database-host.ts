import { invalidFields } from '@panel/kit/errors';
import type { CreateDatabaseHostRequest, DatabaseHostServiceService } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { DatabaseHostFields } from '../../domain/databases/database.js';
import { presentHost, readEngineKind } from '../../present/database.js';
import { createHost } from '../../usecases/database-hosts/create-host.js';

export function createDatabaseHost(context: ServersContext): Handler<DatabaseHostServiceService['createDatabaseHost']> {
  return async (request, { idempotencyId }) => {
    return { host: presentHost(await createHost(context, readFields(request), idempotencyId)) };
  };
}

function readFields(request: CreateDatabaseHostRequest): DatabaseHostFields {
  const engine = readEngineKind(request.engine);
  if (!engine) throw invalidFields({ engine: ['must be mysql or postgresql'] });
  return {
    name: request.name.trim(),
    engine,
    address: request.address,
    port: request.port,
    username: request.username,
    password: request.password,
    nodeIds: request.nodeIds,
    maxDatabases: request.maxDatabases ?? null,
    maxConnections: request.maxConnections,
  };
}
