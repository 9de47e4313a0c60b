import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { CreateDatabaseHostRequest, UpdateDatabaseHostRequest } from '@panel/protos/servers';
import { definedFields } from '../../defined-fields.js';
import type { DatabaseHostFields } from '../../domain/databases/database.js';
import type { DatabaseHostUpdate } from '../../usecases/database-hosts/update-database-host.js';
import { readEngineKind } from '../read-request.js';

/** Throws INVALID_FIELDS without an engine. */
export function readNewHost(request: CreateDatabaseHostRequest): DatabaseHostFields {
  const engine = readEngineKind(request.engine);
  if (!engine) throw invalidFields({ engine: [fieldProblem('not_allowed', 'must be mysql or postgresql')] });
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

export function readHostUpdate(request: UpdateDatabaseHostRequest): DatabaseHostUpdate {
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
