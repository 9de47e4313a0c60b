import type { DatabaseHostServiceService, UpdateDatabaseHostRequest } from '@panel/protos/servers';
import type { Handler } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { definedFields } from '../../defined-fields.js';
import { presentHost } from '../../present/database.js';
import { type DatabaseHostUpdate, updateHost } from '../../usecases/database-hosts/update-host.js';

export function updateDatabaseHost(context: ServersContext): Handler<DatabaseHostServiceService['updateDatabaseHost']> {
  return async (request) => ({ host: presentHost(await updateHost(context, request.hostId, readFields(request))) });
}

function readFields(request: UpdateDatabaseHostRequest): DatabaseHostUpdate {
  return definedFields({
    name: request.name?.trim(),
    address: request.address,
    port: request.port,
    username: request.username,
    password: request.password,
    nodeIds: request.nodes?.nodeIds,
    maxDatabases: request.maximum && (request.maximum.maxDatabases ?? null),
    maxConnections: request.maxConnections,
  });
}
