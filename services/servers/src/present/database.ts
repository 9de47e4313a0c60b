import { enumOf, messageFields } from '@panel/kit/records';
import {
  type Database as DatabaseMessage,
  Database_State,
  DatabaseEngine,
  type DatabaseHost as DatabaseHostMessage,
  type GetDatabaseHostReportResponse,
} from '@panel/protos/servers';
import type { DatabaseHost, HostReport } from '../domain/databases/database.js';
import type { DatabaseWithHost } from '../usecases/databases/list-databases.js';

export function presentDatabase({ database, host }: DatabaseWithHost): DatabaseMessage {
  return {
    ...messageFields(database),
    engine: enumOf(DatabaseEngine, database.engine),
    address: host?.address ?? '',
    port: host?.port ?? 0,
    state: enumOf(Database_State, database.state),
    createTime: database.createdAt,
  };
}

export function presentHost({ report, ...host }: DatabaseHost): DatabaseHostMessage {
  return {
    ...messageFields(host),
    engine: enumOf(DatabaseEngine, host.engine),
    reachable: report.isReachable,
    error: report.error ?? '',
    checkTime: report.checkedAt ?? undefined,
    createTime: host.createdAt,
    updateTime: host.updatedAt,
  };
}

export function presentHostReport(report: HostReport): GetDatabaseHostReportResponse {
  return { ...messageFields(report), checkTime: report.checkedAt ?? undefined, error: report.error ?? '' };
}
