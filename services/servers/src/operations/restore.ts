import { isAppError, isUnavailable } from '@panel/kit/errors';
import { derivedId, dumpDirectory } from '@panel/rpc';
import type { Restore } from '../domain/servers/server.js';
import { dumpFailure, type DumpPlace } from '../database-engines/dumps/backup-dumps.js';
import { describeFailure } from '../domain/servers/describe-failure.js';
import { bringBackup } from './bring-backup.js';
import type { OperationDefinition, OperationDeps, OperationRun } from './operation.js';
import { leaseLost } from './operation.js';

const mebibyte = 1024 * 1024;
const writeEveryMs = 1_000;

/**
 * The files service verifies a backup, extracts it beside the volume, and swaps both in one step. After a worker's
 * death the next joins its run by operation id. Then each database is imported.
 */
export const restoreOperation: OperationDefinition = {
  kind: 'restoring',
  steps: { waiting: 0, copy: 0, verify: 0, extract: 30, swap: 85, databases: 90 },
  startedBy: ['BackupService.RestoreBackup'],
  lane: 'long',
  maxClaims: 6,
  run: restore,
  giveUp: async (deps, run) => {
    const error = 'the restore was interrupted too often';
    const isSwapped = run.server.operation?.step === 'databases';
    return isSwapped ? endWithoutDatabases(deps, run, error) : endWith(deps, run, error);
  },
};

async function restore(deps: OperationDeps, run: OperationRun): Promise<void> {
  const { server, lease, signal } = run;
  const request = server.operation?.restore;
  const node = await deps.nodes.get(server.nodeId);
  if (!request || !node) return endWith(deps, run, 'the node of the server is gone');
  const client = await deps.files.backups(node);
  deps.failpoint('restore.run');
  const written = { at: -Infinity };
  try {
    await bringBackup(deps, run, node);
    const calls = client.restoreBackup(
      {
        serverId: server.id,
        backupId: request.backupId,
        operationId: lease.operationId,
        truncate: request.isTruncating,
        paths: pathsOf(request),
        diskLimitBytes: server.limits.diskMb * mebibyte,
      },
      { signal },
    );
    for await (const { progress } of calls) {
      if (!progress || performance.now() - written.at < writeEveryMs) continue;
      written.at = performance.now();
      if (!(await deps.servers.operations.progress(lease, progress.step, progress.percent))) throw leaseLost();
    }
  } catch (error) {
    if (signal.aborted || isAppError(error, 'LEASE_LOST')) throw error;
    // The worker retries.
    if (isUnavailable(error)) throw error;
    deps.log.warn({ err: error, ...lease }, 'a restore has failed');
    return endWith(deps, run, describeFailure(error));
  }
  deps.failpoint('restore.ended');
  const problem = await importDumps(deps, run, { server, node, signal });
  if (problem !== null) return endWithoutDatabases(deps, run, problem);
  if (!(await deps.servers.operations.finish(lease, null))) throw leaseLost();
  const properties = { backup_id: request.backupId };
  const id = derivedId(lease.operationId, 'complete');
  await deps.activity.record({ event: 'server:backup.restore-complete', serverId: server.id, properties }, null, id);
  deps.hub.console(server.id).notice('the backup was restored');
}

/** The dumps come with the requested files. */
function pathsOf({ paths, databases }: Restore): string[] {
  return paths.length > 0 && databases.length > 0 ? [...paths, `/${dumpDirectory}`] : [...paths];
}

/** Null: success. Failed dumps stay for a manual import. */
async function importDumps(
  { servers, backupDumps, failpoint, log }: OperationDeps,
  { server, lease }: OperationRun,
  place: DumpPlace,
): Promise<string | null> {
  const { databases = [], hasDumps = false } = server.operation?.restore ?? {};
  if (!hasDumps) return null;
  if (!(await servers.operations.progress(lease, 'databases', 90))) throw leaseLost();
  const problems: string[] = [];
  const imported: string[] = [];
  for (const name of databases) {
    try {
      await backupDumps.import(place, name);
      imported.push(name);
    } catch (error) {
      if (place.signal.aborted || (isAppError(error) && error.kind === 'unavailable')) throw error;
      log.warn({ err: error, ...lease, database: name }, 'a dump of a backup cannot be imported');
      problems.push(`${name}: ${dumpFailure(error).message}`);
    }
    failpoint('restore.imported');
  }
  if (problems.length === 0) await backupDumps.remove(place);
  else for (const name of imported) await backupDumps.removeOne(place, name);
  return problems.length === 0 ? null : problems.join('; ').slice(0, 300);
}

async function endWithoutDatabases(deps: OperationDeps, run: OperationRun, error: string): Promise<void> {
  await end(deps, run, error, `the files of the backup were restored, but not all of its databases: ${error}`);
}

async function endWith(deps: OperationDeps, run: OperationRun, error: string): Promise<void> {
  await end(deps, run, error, `the backup was not restored, the files are as they were: ${error}`);
}

async function end(deps: OperationDeps, { server, lease }: OperationRun, error: string, notice: string): Promise<void> {
  if (!(await deps.servers.operations.finish(lease, error))) throw leaseLost();
  const properties = { backup_id: server.operation?.restore?.backupId ?? '', error };
  const id = derivedId(lease.operationId, 'fail');
  await deps.activity.record({ event: 'server:backup.restore-fail', serverId: server.id, properties }, null, id);
  deps.hub.console(server.id).notice(notice);
}
