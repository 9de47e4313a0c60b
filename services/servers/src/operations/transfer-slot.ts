import { acquireLease, type Lease } from '@panel/kit/lease';
import type { Logger } from '@panel/kit/process';
import type { NodeStore } from '../models/nodes/node.js';
import type { OperationSettings } from './operation.js';

interface SlotDeps {
  readonly nodes: Pick<NodeStore, 'acquireSlot' | 'releaseSlot'>;
  readonly settings: Pick<OperationSettings, 'transfersPerNode' | 'workTtlMs'>;
  readonly log: Logger;
}

/**
 * Takes a slot on both nodes or none. Null: others come first; a server already down for its transfer (`hasStarted`)
 * does not wait.
 */
export async function acquireTransferSlot(
  deps: SlotDeps,
  serverId: string,
  nodeIds: readonly string[],
  hasStarted: boolean,
): Promise<Lease | null> {
  // Outlasts a retry by any worker.
  const ttlMs = deps.settings.workTtlMs * 2;
  const acquire = async (max: number) => acquireAll(deps, serverId, nodeIds, { max, ttlMs });
  return acquireLease({
    name: 'transfer slot',
    facts: { serverId },
    ttlMs,
    acquire: async () => acquire(hasStarted ? Number.MAX_SAFE_INTEGER : deps.settings.transfersPerNode),
    renew: async () => acquire(Number.MAX_SAFE_INTEGER),
    release: async () => releaseAll(deps, serverId, nodeIds),
    log: deps.log,
  });
}

async function acquireAll(
  deps: SlotDeps,
  serverId: string,
  nodeIds: readonly string[],
  slot: { readonly max: number; readonly ttlMs: number },
): Promise<boolean> {
  const taken: string[] = [];
  for (const nodeId of nodeIds) {
    if (!(await deps.nodes.acquireSlot(nodeId, serverId, slot))) {
      await releaseAll(deps, serverId, taken);
      return false;
    }
    taken.push(nodeId);
  }
  return true;
}

async function releaseAll({ nodes }: SlotDeps, serverId: string, nodeIds: readonly string[]): Promise<void> {
  for (const nodeId of nodeIds) await nodes.releaseSlot(nodeId, serverId);
}
