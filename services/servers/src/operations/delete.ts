import { isAppError } from '@panel/kit/errors';
import { deletionHint } from '../domain/servers/deletion.js';
import {
  enterStep,
  leaseLost,
  requireCurrent,
  type OperationDefinition,
  type OperationDeps,
  type OperationRun,
} from './operation.js';
import { atAnyFiles } from '../node-clients/backup-place.js';
import type { FilesNode } from '../node-clients/files.js';
import { runCleanup } from './pending-cleanups.js';

/**
 * Removes a server step by step; the record goes last: a crash leaves work to continue. Without `force` an unavailable
 * engine or files service ends the run (NODE_UNREACHABLE, SERVICE_UNAVAILABLE) until a retry; with it the node's files
 * stay, its instance is removed when it is back, and another files service deletes or retains backups elsewhere.
 */
export const deleteOperation: OperationDefinition = {
  kind: 'deleting',
  steps: {
    waiting: 0,
    stop: 5,
    remove_instance: 30,
    delete_backups: 40,
    delete_files: 50,
    pending_cleanups: 80,
    databases: 85,
    free: 90,
  },
  startedBy: ['ServerService.DeleteServer'],
  lane: 'short',
  waitHint: deletionHint,
  // It waits for its node; `force` ends the wait.
  maxClaims: Infinity,
  run: deleteServer,
  giveUp: deleteServer,
};

async function deleteServer(deps: OperationDeps, { server, lease }: OperationRun): Promise<void> {
  const { servers, nodes, allocations, files, runtimes, consoles, metrics, hub, failpoint } = deps;
  const { force: isForced = false, keepBackups: keepsBackups = false } = server.operation?.options ?? {};
  const step = async (name: string) => {
    await enterStep(deps, deleteOperation, lease, name);
    failpoint(`delete.${name}`);
  };
  /** A node that does not answer removes it when it is back. */
  const removeInstance = async (nodeId: string, task: () => Promise<void>) => {
    await task().catch(async (error: unknown) => {
      if (isForced) await deps.leftInstances.add(server.id, nodeId);
      throw error;
    });
  };
  const node = await nodes.get(server.nodeId);
  if (node) {
    await step('stop');
    if (!isForced) requireCurrent(deps, node.id);
    await ignoreFailureIf(isForced, deps, server.id, () =>
      deps.power.forceStop(server, 0, { kind: 'operation', lease }),
    );
    // Until here it can be taken back.
    await ignoreFailureIf(isForced, deps, server.id, async () => {
      await Promise.all([runtimes.of(node).ping(), files.freeBytes(node)]);
    });
    await step('remove_instance');
    await ignoreFailureIf(isForced, deps, server.id, () =>
      removeInstance(node.id, () => runtimes.of(node).remove(server.id)),
    );
    await step('delete_backups');
    const deleteBackups = async (place: FilesNode) => files.deleteBackups(place, server, keepsBackups);
    await ignoreFailureIf(isForced, deps, server.id, async () =>
      isForced ? atAnyFiles({ stores: { nodes }, files }, node, deleteBackups) : deleteBackups(node),
    );
    await step('delete_files');
    await ignoreFailureIf(isForced, deps, server.id, () => files.deleteVolume(node, server.id));
  }
  const requireLease = async () => {
    if (!(await servers.operations.renew(lease, deps.settings.workTtlMs))) throw leaseLost();
  };
  for (const cleanup of server.pendingCleanups ?? []) {
    await step('pending_cleanups');
    await ignoreFailureIf(isForced, deps, server.id, () =>
      removeInstance(cleanup.nodeId, () => runCleanup(deps, server, cleanup, requireLease)),
    );
  }
  await step('databases');
  await deps.databases.markServerDeleting(server.id);
  await step('free');
  await allocations.releaseAll(server.id);
  await consoles.delete(server.id);
  await deps.schedules.deleteOfServer(server.id);
  await metrics.delete(server.id);
  await nodes.release(server.nodeId, server.id);
  await servers.delete(server.id);
  hub.forget(server.id);
}

async function ignoreFailureIf(
  isForced: boolean,
  { log }: Pick<OperationDeps, 'log'>,
  serverId: string,
  task: () => Promise<void>,
): Promise<void> {
  try {
    await task();
  } catch (error) {
    if (!isForced || isAppError(error, 'LEASE_LOST')) throw error;
    log.warn({ err: error, serverId }, 'left behind on the node of a server that was deleted by force');
  }
}
