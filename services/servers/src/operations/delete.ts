import { isAppError } from '@panel/kit/errors';
import { enterStep, leaseLost, type OperationDefinition, type OperationDeps, type OperationRun } from './operation.js';
import { runCleanup } from './pending-cleanups.js';

/**
 * Removes a server step by step; the record goes last: a crash leaves work to continue. Without `force` an unavailable
 * engine or files service ends the run (NODE_UNREACHABLE, SERVICE_UNAVAILABLE) until a retry; with it the node's data
 * stays.
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
  const node = await nodes.get(server.nodeId);
  if (node) {
    await step('stop');
    await ignoreFailureIf(isForced, deps, server.id, () =>
      deps.power.forceStop(server, 0, { kind: 'operation', lease }),
    );
    await step('remove_instance');
    await ignoreFailureIf(isForced, deps, server.id, () => runtimes.of(node).remove(server.id));
    await step('delete_backups');
    await ignoreFailureIf(isForced, deps, server.id, () => files.deleteBackups(node, server, keepsBackups));
    await step('delete_files');
    await ignoreFailureIf(isForced, deps, server.id, () => files.deleteVolume(node, server.id));
  }
  const requireLease = async () => {
    if (!(await servers.operations.renew(lease, deps.settings.workTtlMs))) throw leaseLost();
  };
  for (const cleanup of server.pendingCleanups ?? []) {
    await step('pending_cleanups');
    await ignoreFailureIf(isForced, deps, server.id, () => runCleanup(deps, server, cleanup, requireLease));
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
