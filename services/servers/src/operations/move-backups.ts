import type { ReceiveBackupsResponse } from '@panel/protos/files';
import type { GameNode } from '../domain/nodes/node.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import { fail } from '../reasons.js';
import { heard } from './heard.js';
import type { OperationDeps } from './operation.js';

const writeEveryMs = 1_000;
/** Share of the transfer. */
const maxPercent = 2;

interface BackupMove {
  readonly server: { readonly id: string };
  readonly lease: OperationLease;
  readonly source: GameNode;
  readonly target: GameNode;
  readonly signal: AbortSignal;
}

/**
 * Copies backups on the node's disk to the target while the game may run. Repeatable: complete ones are skipped. Throws
 * TARGET_TIMEOUT, LEASE_LOST and the errors of ReceiveBackups.
 */
export async function moveBackups(deps: OperationDeps, move: BackupMove): Promise<void> {
  deps.failpoint('transfer.backups');
  const written = { at: -Infinity, bytesDone: -1, movedAt: performance.now() };
  const receive = (within: AbortSignal) =>
    deps.files.receiveBackups(move, move.server.id, move.lease.operationId, within);
  for (;;) {
    let last: ReceiveBackupsResponse | undefined;
    for await (const message of heard(receive, move.signal)) {
      last = message;
      await report(deps, move.lease, message, written);
    }
    if (!last) throw fail('TARGET_TIMEOUT', 'the files service of the node ended before the backups were copied');
    if (last.received >= last.total) return;
    // The next call counts the rest.
    written.bytesDone = -1;
  }
}

async function report(
  { servers, settings }: Pick<OperationDeps, 'servers' | 'settings'>,
  lease: OperationLease,
  { bytesDone, bytesTotal }: ReceiveBackupsResponse,
  written: { at: number; bytesDone: number; movedAt: number },
): Promise<void> {
  if (performance.now() - written.at < writeEveryMs) return;
  written.at = performance.now();
  const percent = bytesTotal === 0 ? 0 : Math.floor((maxPercent * bytesDone) / bytesTotal);
  const hasMoved = bytesDone > written.bytesDone;
  if (!hasMoved && written.at - written.movedAt > settings.transferTimeoutMs) {
    throw fail('TARGET_TIMEOUT', 'the copy of the backups makes no progress');
  }
  const retained = hasMoved
    ? await servers.transfers.advance(lease, { step: 'backups', percent, doneBytes: 0 })
    : await servers.operations.progress(lease, 'backups', percent);
  if (!retained) throw fail('LEASE_LOST', 'the transfer was cancelled, or another worker has taken over');
  if (!hasMoved) return;
  written.bytesDone = bytesDone;
  written.movedAt = written.at;
}
