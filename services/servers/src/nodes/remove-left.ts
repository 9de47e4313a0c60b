import type { ListedInstance, Runtime } from '@panel/runtime';
import type { NodeDeps } from './dependencies.js';

/**
 * Removes instances of servers that were deleted by force while the node was unavailable; returns the other ones of no
 * server.
 */
export async function removeLeft(
  { leftInstances, attempt, log }: Pick<NodeDeps, 'leftInstances' | 'attempt' | 'log'>,
  nodeId: string,
  runtime: Pick<Runtime, 'remove'>,
  unknown: readonly ListedInstance[],
): Promise<readonly ListedInstance[]> {
  const left = await leftInstances.among(
    nodeId,
    unknown.map(({ serverId }) => serverId),
  );
  for (const serverId of left) {
    await attempt('reconcile-nodes', serverId, async () => {
      await runtime.remove(serverId);
      await leftInstances.remove(serverId, nodeId);
      log.info({ serverId, nodeId }, 'the instance of a deleted server was removed');
    });
  }
  return unknown.filter(({ serverId }) => !left.includes(serverId));
}
