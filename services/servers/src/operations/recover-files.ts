import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer, Transfer } from '../domain/servers/server.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import { heard } from './heard.js';
import { leaseLost, type OperationDeps } from './operation.js';

const mebibyte = 1024 * 1024;
/** Of the transfer, in percent. */
const [first, last] = [5, 95];

interface Recovery {
  readonly server: GameServer;
  readonly transfer: Transfer;
  readonly lease: OperationLease;
  readonly target: GameNode;
  readonly signal: AbortSignal;
}

/**
 * Restores a backup on the target of a server whose node is gone. Repeatable: it joins a run, or begins another. Throws
 * TARGET_TIMEOUT, LEASE_LOST and the errors of RestoreBackup.
 */
export async function recoverFiles(deps: OperationDeps, recovery: Recovery, backupId: string): Promise<void> {
  const { server, transfer, target, lease, signal } = recovery;
  deps.failpoint('recover.begin');
  await deps.files.ensureVolume(target, server);
  const client = await deps.files.backups(target);
  const request = {
    serverId: server.id,
    backupId,
    operationId: transfer.copyId,
    truncate: true,
    paths: [],
    diskLimitBytes: server.limits.diskMb * mebibyte,
  };
  let reported = -1;
  for await (const { progress } of heard((within) => client.restoreBackup(request, { signal: within }), signal)) {
    const done = progress?.percent ?? 0;
    if (done <= reported) continue;
    reported = done;
    const percent = first + Math.floor(((last - first) * done) / 100);
    if (!(await deps.servers.transfers.advance(lease, { step: 'restore', percent, doneBytes: done })))
      throw leaseLost();
  }
  deps.failpoint('recover.restored');
}
