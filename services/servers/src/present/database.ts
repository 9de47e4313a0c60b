import {
  Database as DatabaseMessage,
  Database_State,
  DatabaseEngine,
  DatabaseHost as DatabaseHostMessage,
  type GetDatabaseHostReportResponse,
} from '@panel/protos/servers';
import type { DatabaseHost, DatabaseState, EngineKind, HostReport } from '../domain/databases/database.js';
import type { DatabaseWithHost } from '../usecases/databases/list-databases.js';

export function presentDatabase({ database, host }: DatabaseWithHost): DatabaseMessage {
  return DatabaseMessage.create({
    id: database.id,
    serverId: database.serverId,
    hostId: database.hostId,
    name: database.name,
    engine: presentEngine(database.engine),
    address: host?.address ?? '',
    port: host?.port ?? 0,
    username: database.username,
    remote: database.remote,
    maxConnections: database.maxConnections,
    sizeBytes: database.sizeBytes,
    state: states[database.state],
    createTime: database.createdAt,
  });
}

export function presentHost(host: DatabaseHost): DatabaseHostMessage {
  return DatabaseHostMessage.create({
    id: host.id,
    name: host.name,
    engine: presentEngine(host.engine),
    address: host.address,
    port: host.port,
    username: host.username,
    nodeIds: [...host.nodeIds],
    maxDatabases: host.maxDatabases ?? undefined,
    maxConnections: host.maxConnections,
    databasesCount: host.databasesCount,
    version: host.version,
    reachable: host.report.isReachable,
    error: host.report.error ?? '',
    checkTime: host.report.checkedAt ?? undefined,
    createTime: host.createdAt,
    updateTime: host.updatedAt,
  });
}

export function presentHostReport(report: HostReport): GetDatabaseHostReportResponse {
  return {
    orphanDatabases: [...report.orphanDatabases],
    orphanUsers: [...report.orphanUsers],
    missingDatabases: [...report.missingDatabases],
    checkTime: report.checkedAt ?? undefined,
    error: report.error ?? '',
  };
}

const states: Readonly<Record<DatabaseState, Database_State>> = {
  creating: Database_State.CREATING,
  active: Database_State.ACTIVE,
  deleting: Database_State.DELETING,
};

function presentEngine(engine: EngineKind): DatabaseEngine {
  return engine === 'mysql' ? DatabaseEngine.MYSQL : DatabaseEngine.POSTGRESQL;
}
