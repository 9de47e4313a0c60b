import type { ReceiveBackupsResponse } from '@panel/protos/files';
import type { GameNode } from '../domain/nodes/node.js';
import { fail } from '../reasons.js';
import { heard } from './heard.js';
import { leaseLost, type OperationDeps, type OperationRun } from './operation.js';

/**
 * Copies the backup of a restore from the disk of another node, if one has it. Repeatable: a complete copy is skipped. Throws
 * TARGET_TIMEOUT, LEASE_LOST and the errors of ReceiveBackups.
 */
export async function bringBackup(
  deps: OperationDeps,
  { server, lease, signal }: OperationRun,
  target: GameNode,
): Promise<void> {
  const { sourceNodeId, backupId = '' } = server.operation?.restore ?? {};
  const source = sourceNodeId ? await deps.nodes.get(sourceNodeId) : null;
  if (!source) return;
  const receive = (within: AbortSignal) =>
    deps.files.receiveBackups({ target, source, backupId }, server.id, lease.operationId, within);
  for (;;) {
    if (!(await deps.servers.operations.progress(lease, 'copy', 0))) throw leaseLost();
    let last: ReceiveBackupsResponse | undefined;
    for await (const message of heard(receive, signal)) last = message;
    if (!last) throw fail('TARGET_TIMEOUT', 'the files service of the node ended before the backup was copied');
    if (last.received >= last.total) return;
  }
}
