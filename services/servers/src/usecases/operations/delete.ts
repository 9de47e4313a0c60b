import { isAppError } from '@panel/kit';
import type { GameServer } from '../../domain/servers/server.js';
import type { OperationLease } from '../../models/servers/server-operations.js';
import type { PowerService } from '../power/power-service.js';
import { fail } from '../../reasons.js';
import type { InstallDeps } from './install.js';
import { runCleanup } from './pending-cleanups.js';

/**
 * Remove everything a server is, step by step, each repeatable; its record goes last, so that a death on the way leaves
 * something to go on from. Without `force` an engine or files service that does not answer ends this try
 * (NODE_UNREACHABLE, SERVICE_UNAVAILABLE); with it, what is on the node is left behind.
 */
export async function deleteServer(
  deps: InstallDeps & { readonly power: PowerService },
  server: GameServer,
  lease: OperationLease,
): Promise<void> {
  const { servers, nodes, allocations, files, runtimes, consoles, hub, failpoint } = deps;
  const isForced = server.operation?.options.force === true;
  const step = async (name: string, percent: number) => {
    if (!(await servers.operations.progress(lease, name, percent)))
      throw fail('LEASE_LOST', 'another worker has taken over');
    failpoint(`delete.${name}`);
  };
  const node = await nodes.get(server.nodeId);
  if (node) {
    await step('stop', 5);
    await ignoreFailureIf(isForced, deps, server.id, () => deps.power.forceStop(server, 0));
    await step('remove_instance', 30);
    await ignoreFailureIf(isForced, deps, server.id, () => runtimes.of(node).remove(server.id));
    await step('delete_files', 50);
    await ignoreFailureIf(isForced, deps, server.id, () => files.deleteVolume(node, server.id));
  }
  const isOurs = async () => servers.operations.renew(lease, deps.settings.workTtlMs);
  for (const cleanup of server.pendingCleanups ?? []) {
    await step('pending_cleanups', 80);
    await ignoreFailureIf(isForced, deps, server.id, () => runCleanup(deps, server, cleanup, isOurs));
  }
  await step('free', 90);
  await allocations.releaseAll(server.id);
  await consoles.delete(server.id);
  await nodes.release(server.nodeId, server.id);
  await servers.delete(server.id);
  hub.forget(server.id);
}

async function ignoreFailureIf(
  isForced: boolean,
  { log }: InstallDeps,
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
