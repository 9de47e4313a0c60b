import { randomUUID } from 'node:crypto';
import { fieldProblem, invalidFields } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import {
  foreignAddressProblem,
  isAddressOf,
  parseAllocations,
  unknownAddresses,
} from '../../domain/allocations/allocation.js';
import type { WarnedAllocation } from './list-allocations.js';
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
): Promise<WarnedAllocation[]> {
  const { nodeId, alias } = range;
  const { ip, ports } = parseAllocations(range);
  const { health } = await loadNode(stores, nodeId);
  const problem = foreignAddressProblem(ip, health.addresses);
  if (problem !== null) throw invalidFields({ ip: [fieldProblem('not_found', problem)] });
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
  const warning = health.addresses || isAddressOf(ip, []) ? '' : unknownAddresses;
  if (await stores.nodes.nameOf(nodeId)) return created.map((allocation) => ({ ...allocation, warning }));
  // The node was deleted meanwhile, maybe before these rows existed.
  await stores.allocations.deleteOfNode(nodeId);
  throw nodeNotFound(nodeId);
}
