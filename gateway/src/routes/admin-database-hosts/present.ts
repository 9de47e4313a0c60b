import {
  CreateDatabaseHostRequest,
  type DatabaseHost,
  type GetDatabaseHostReportResponse,
  UpdateDatabaseHostRequest,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { failureOrNull, isoTime, isoTimeOf, required } from '../../declaration/present.js';
import { engineMessage, presentEngine } from '../databases/present.js';
import type { createDatabaseHostBody, databaseHost, databaseHostReport, updateDatabaseHostBody } from './schema.js';

const defaultPorts = { mysql: 3306, postgresql: 5432 } as const;

export function presentHost(message: DatabaseHost | undefined): z.input<typeof databaseHost> {
  const found = required(message, 'host');
  return {
    id: found.id,
    name: found.name,
    engine: presentEngine(found.engine),
    host: found.address,
    port: found.port,
    username: found.username,
    node_ids: found.nodeIds,
    max_databases: found.maxDatabases ?? null,
    max_connections: found.maxConnections,
    databases_count: found.databasesCount,
    version: found.version,
    reachable: found.reachable,
    error: failureOrNull(found.error),
    checked_at: isoTime(found.checkTime),
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

export function presentReport(report: GetDatabaseHostReportResponse): z.input<typeof databaseHostReport> {
  return {
    orphan_databases: report.orphanDatabases,
    orphan_users: report.orphanUsers,
    missing_databases: report.missingDatabases,
    error: failureOrNull(report.error),
    checked_at: isoTime(report.checkTime),
  };
}

export function createHostRequest(body: z.output<typeof createDatabaseHostBody>): CreateDatabaseHostRequest {
  return CreateDatabaseHostRequest.create({
    name: body.name,
    engine: engineMessage(body.engine),
    address: body.host,
    port: body.port ?? defaultPorts[body.engine],
    username: body.username,
    password: body.password,
    nodeIds: body.node_ids,
    maxDatabases: body.max_databases ?? undefined,
    maxConnections: body.max_connections,
  });
}

export function updateHostRequest(
  hostId: string,
  body: z.output<typeof updateDatabaseHostBody>,
): UpdateDatabaseHostRequest {
  return UpdateDatabaseHostRequest.create({
    hostId,
    name: body.name,
    address: body.host,
    port: body.port,
    username: body.username,
    password: body.password,
    nodes: body.node_ids && { nodeIds: body.node_ids },
    maximum: body.max_databases === undefined ? undefined : { maxDatabases: body.max_databases ?? undefined },
    maxConnections: body.max_connections,
  });
}
