import {
  CreateDatabaseHostRequest,
  DatabaseHost,
  GetDatabaseHostReportResponse,
  UpdateDatabaseHostRequest,
} from '@panel/protos/servers';
import { z } from 'zod';
import * as is from '../../declaration/fields.js';
import { listQuery, yesOrNo } from '../../declaration/list-query.js';
import { resource } from '../../declaration/resource.js';
import { engine } from '../databases/resource.js';

const port = z.int().min(1).max(65_535);
const password = z.string().min(1).max(256);

export const databaseHost = resource(DatabaseHost, 'DatabaseHost', {
  id: is.uuid('id'),
  name: is.text('name').settable(z.string().trim().min(1).max(100)),
  // The engine is fixed.
  engine: engine.settableAs(null, engine.shown.schema),
  host: is.text('address').settable(z.string().trim().min(1).max(253)),
  port: is.int('port').settableAs(port, port.optional().describe('3306 of mysql, 5432 of postgresql unless given')),
  username: is.text('username').settable(z.string().min(1).max(63)),
  password: is.writeOnly('password', password, password),
  node_ids: is.uuids('nodeIds', 'empty: for servers of all nodes').settable(z.array(z.uuid()).max(1000), []),
  max_databases: is
    .intOrNull('maxDatabases', 'null: not limited')
    .settable(z.int().min(0).max(10_000).nullable(), null),
  max_connections: is
    .int('maxConnections', 'given to databases made from now on; 0 not limited')
    .settable(z.int().min(0).max(100_000), 0),
  databases_count: is.int('databasesCount'),
  version: is.text('version'),
  reachable: is.flag('reachable', 'whether it answered when it was last compared'),
  error: is.failureOrNull('error'),
  checked_at: is.timeOrNull('checkTime'),
  created_at: is.time('createTime'),
  updated_at: is.time('updateTime'),
});

const defaultPorts = { mysql: 3306, postgresql: 5432 } as const;

export function createHostRequest(body: z.output<typeof databaseHost.createBody>): CreateDatabaseHostRequest {
  return databaseHost.read(CreateDatabaseHostRequest, body, { port: body.port ?? defaultPorts[body.engine] });
}

export function updateHostRequest(
  hostId: string,
  { node_ids: nodeIds, max_databases: maximum, ...body }: z.output<typeof databaseHost.updateBody>,
): UpdateDatabaseHostRequest {
  return databaseHost.read(UpdateDatabaseHostRequest, body, {
    hostId,
    nodes: nodeIds && { nodeIds },
    maximum: maximum === undefined ? undefined : { maxDatabases: maximum ?? undefined },
  });
}

export const databaseHostsQuery = listQuery('created_at', 'name').extend({
  node_id: z.uuid().optional().describe('only hosts that serve this node'),
});

export const deleteHostQuery = z.object({
  force: yesOrNo.optional().describe('although it has databases: they are forgotten, and nothing is done on the host'),
});

export const reportQuery = z.object({
  fresh: z.enum(['true', 'false']).optional().describe('true: compare now instead of showing the last comparison'),
});

export const databaseHostReport = resource(GetDatabaseHostReportResponse, 'DatabaseHostReport', {
  orphan_databases: is.texts('orphanDatabases', 'named as the panel names its own, and known to it as nothing'),
  orphan_users: is.texts('orphanUsers'),
  missing_databases: is.texts('missingDatabases', 'known to the panel and not on the host'),
  error: is.failureOrNull('error', 'why the last comparison failed'),
  checked_at: is.timeOrNull('checkTime'),
});
