import { randomUUID } from 'node:crypto';
import { derivedId } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { type Allocation, parseAllocations } from '../../domain/allocations/allocation.js';
import { loadNode, nodeNotFound } from '../nodes/get-node.js';

interface AllocationRange {
  readonly nodeId: string;
  readonly ip: string;
  readonly alias: string;
  /** "25565" or "25570-25580". */
  readonly ports: readonly string[];
}

/** Atomic; idempotent by `idempotencyId`. Throws INVALID_FIELDS, NODE_NOT_FOUND, ALLOCATION_EXISTS. */
export async function createAllocations(
  { stores, clock }: Pick<ServersContext, 'stores' | 'clock'>,
  range: AllocationRange,
  idempotencyId: string = randomUUID(),
): Promise<Allocation[]> {
  const { nodeId, alias } = range;
  const { ip, ports } = parseAllocations(range);
  await loadNode(stores, nodeId);
  const idOf = (port: number) => derivedId(idempotencyId, `${port}`);
  // The batch id is of this attempt: a retry has other rows.
  const created = await stores.allocations.createAll({
    nodeId,
    ip,
    alias,
    ports,
    batchId: randomUUID(),
    at: clock(),
    idOf,
  });
  if (await stores.nodes.nameOf(nodeId)) return created;
  // The node was deleted meanwhile, maybe before these rows existed.
  await stores.allocations.deleteOfNode(nodeId);
  throw nodeNotFound(nodeId);
}
