import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer, Transfer } from '../domain/servers/server.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import { fail } from '../reasons.js';
import { IdleTimeout } from './idle-timeout.js';
import { leaseLost, type OperationDeps } from './operation.js';

/** The files service sends every 5 s at least. */
const idleTimeoutMs = 60_000;
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
 * Restores a backup on the target of a server whose node is gone. Repeatable: it joins a run, or begins anew. Throws
 * TARGET_TIMEOUT, LEASE_LOST and the errors of RestoreBackup.
 */
export async function recoverFiles(deps: OperationDeps, recovery: Recovery, backupId: string): Promise<void> {
  const { server, transfer, target, lease, signal } = recovery;
  deps.failpoint('recover.begin');
  await deps.files.ensureVolume(target, server);
  const client = await deps.files.backups(target);
  const idle = new IdleTimeout(idleTimeoutMs, signal);
  const request = {
    serverId: server.id,
    backupId,
    operationId: transfer.copyId,
    truncate: true,
    paths: [],
    diskLimitBytes: server.limits.diskMb * mebibyte,
  };
  let reported = -1;
  try {
    for await (const { progress } of client.restoreBackup(request, { signal: idle.signal })) {
      idle.reset();
      const done = progress?.percent ?? 0;
      if (done <= reported) continue;
      reported = done;
      const percent = first + Math.floor(((last - first) * done) / 100);
      if (!(await deps.servers.transfers.advance(lease, { step: 'restore', percent, doneBytes: done })))
        throw leaseLost();
    }
  } catch (error) {
    throw idle.hasExpired
      ? fail('TARGET_TIMEOUT', 'the files service of the node has said nothing for a minute')
      : error;
  } finally {
    idle.end();
  }
  deps.failpoint('recover.restored');
}
