import type { AddressGuard } from '@panel/kit/net';
import type { EngineKind } from '../../domain/databases/database.js';
import type { DatabaseEngine } from './database-engine.js';
import { createMysqlEngine } from './mysql-engine.js';
import { createPostgresqlEngine } from './postgresql-engine.js';

export type DatabaseEngines = Readonly<Record<EngineKind, DatabaseEngine>>;

export function createDatabaseEngines(guard: Pick<AddressGuard, 'lookup'>): DatabaseEngines {
  return { mysql: createMysqlEngine(guard), postgresql: createPostgresqlEngine(guard) };
}
