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
 * Lease a slot among the few servers that are moved from or to a node at a time: on both nodes, or on none. Null while others
 * come first; a server that is down for its transfer already (`hasStarted`) does not wait.
 */
export async function acquireTransferSlot(
  deps: SlotDeps,
  serverId: string,
  nodeIds: readonly string[],
  hasStarted: boolean,
): Promise<Lease | null> {
  // A failed try is repeated after seconds, with the same worker or another.
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
