import { isAppError, messageOf } from '@panel/kit';
import { derivedId } from '@panel/rpc';
import type { OperationDefinition, OperationDeps, OperationRun } from './operation.js';
import { leaseLost } from './operation.js';

const mebibyte = 1024 * 1024;
const writeEveryMs = 1_000;

/**
 * Put a backup back: the files service verifies it, extracts it beside the volume, and swaps the two in one step. A worker
 * that dies leaves the run in the files service, which the next one joins by the id of the operation.
 */
export const restoreOperation: OperationDefinition = {
  kind: 'restoring',
  steps: { waiting: 0, verify: 0, extract: 30, swap: 85 },
  startedBy: ['BackupService.RestoreBackup'],
  lane: 'long',
  maxClaims: 6,
  run: restore,
  giveUp: async (deps, run) => endWith(deps, run, 'the restore was interrupted too often'),
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
    const calls = client.restoreBackup(
      {
        serverId: server.id,
        backupId: request.backupId,
        operationId: lease.operationId,
        truncate: request.isTruncating,
        paths: [...request.paths],
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
    // the worker waits and tries again
    if (isAppError(error) && (error.kind === 'unavailable' || error.kind === 'deadline_exceeded')) throw error;
    deps.log.warn({ err: error, ...lease }, 'a restore has failed');
    const isKnown = isAppError(error) && error.kind !== 'internal';
    return endWith(deps, run, isKnown ? messageOf(error).slice(0, 300) : 'an unexpected error');
  }
  deps.failpoint('restore.ended');
  if (!(await deps.servers.operations.finish(lease))) throw leaseLost();
  const properties = { backup_id: request.backupId };
  const id = derivedId(lease.operationId, 'complete');
  deps.activity.record({ event: 'server:backup.restore-complete', serverId: server.id, properties }, null, id);
  deps.hub.console(server.id).notice('the backup was restored');
}

async function endWith(deps: OperationDeps, { server, lease }: OperationRun, error: string): Promise<void> {
  if (!(await deps.servers.operations.finish(lease))) throw leaseLost();
  const properties = { backup_id: server.operation?.restore?.backupId ?? '', error };
  const id = derivedId(lease.operationId, 'fail');
  deps.activity.record({ event: 'server:backup.restore-fail', serverId: server.id, properties }, null, id);
  deps.hub.console(server.id).notice(`the backup was not restored, the files are as they were: ${error}`);
}
