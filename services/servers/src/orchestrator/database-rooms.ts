import { DatabaseSizes } from '../database-engines/database-sizes.js';
import { DatabaseWorker } from '../database-engines/database-worker.js';
import { createDatabaseEngines } from '../database-engines/drivers/engines.js';
import { createBackupDumps } from '../database-engines/dumps/backup-dumps.js';
import { DumpService } from '../database-engines/dumps/dump-service.js';
import type { Foundation } from './foundation.js';

export function createDatabaseRooms({ config, tasks, ...parts }: Foundation) {
  const { stores, files, grants, failpoint, clock, log, attempt } = parts;
  const { databaseLeaseMs, maxDumpBytes } = config;
  const { databases } = stores;
  const engines = createDatabaseEngines(parts.guard);
  const dumps = new DumpService({ stores, engines, maxDumpBytes, log });
  const deps = { stores, databaseEngines: engines, databaseLeaseMs, failpoint, clock, log };
  return {
    deps,
    engines,
    dumps,
    backupDumps: createBackupDumps({ databases, dumps, files, grants, log }),
    worker: new DatabaseWorker({ ...deps, attempt }, tasks),
    sizes: new DatabaseSizes({ databases, engines, clock, log }),
  };
}
