import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { type GameNode, insufficientResource, type ResourceRequest } from '../../domain/nodes/node.js';
import { requireReady } from '../../domain/nodes/node-status.js';
import { rankNodes } from '../../domain/nodes/rank-nodes.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

export interface Placement {
  readonly nodeId: string;
  readonly allocationId: string;
}

interface PlacementRequest {
  readonly serverId: string;
  readonly resources: ResourceRequest;
  /** Null: automatic. */
  readonly place: Placement | null;
  readonly additionalAllocationIds: readonly string[];
  /** Required of automatically chosen nodes. */
  readonly nodeTags: readonly string[];
  /** On the named node already: nothing is installed. */
  readonly hasFiles: boolean;
}

type PlacementStores = Pick<Stores, 'nodes' | 'allocations' | 'servers'>;

/**
 * Reserves capacity and allocations, all or none, until `confirmPlacement`. Retries take over earlier reservations;
 * parallel ones share them, and none may free another's: `releaseUnused`. Throws INVALID_FIELDS for an unknown node or
 * allocation, NODE_MAINTENANCE, NODE_NOT_READY, NODE_CAPACITY, ALLOCATION_TAKEN, NO_NODE_FITS.
 */
export async function reservePlacement(
  stores: PlacementStores,
  request: PlacementRequest,
  at: Date,
): Promise<Placement> {
  if (request.place) {
    await reserveAt(stores, request, request.place, at);
    return request.place;
  }
  const reserved = await stores.nodes.reservedFor(request.serverId);
  const refused = new Map<string, number>();
  const refuse = (why: string) => refused.set(why, (refused.get(why) ?? 0) + 1);
  for (const node of rankNodes(await stores.nodes.all(), request, { reserved, at, refuse })) {
    const place = await tryNode(stores, request, node, at);
    if (place) return place;
    refuse('allocations');
  }
  const message = 'no node has room and a free allocation for this server';
  throw fail('NO_NODE_FITS', message, { nodes: Object.fromEntries(refused) });
}

/** False: the sweeper took a part after minutes. */
export async function confirmPlacement(
  stores: PlacementStores,
  server: Pick<GameServer, 'id' | 'nodeId' | 'allocations'>,
): Promise<boolean> {
  if (!(await stores.nodes.confirm(server.nodeId, server.id))) return false;
  const allocationIds = server.allocations.map(({ id }) => id);
  return (await stores.allocations.confirm(server.id, allocationIds)) === allocationIds.length;
}

/** Frees what the server, if any, does not use. Idempotent. */
export async function releaseUnused(stores: PlacementStores, serverId: string, nodeId: string): Promise<void> {
  const server = await stores.servers.get(serverId);
  await stores.allocations.releaseUnused(serverId, server?.allocations.map(({ id }) => id) ?? []);
  if (server?.nodeId !== nodeId) await stores.nodes.releaseUnconfirmed(nodeId, serverId);
}

/** Idempotent. */
export async function releasePlacement(
  stores: Pick<Stores, 'nodes' | 'allocations'>,
  serverId: string,
  nodeId: string,
): Promise<void> {
  await stores.allocations.releaseAll(serverId);
  await stores.nodes.release(nodeId, serverId);
}

/** Allocations first: losers of one allocation must not fill the node. */
async function reserveAt(
  stores: PlacementStores,
  request: PlacementRequest,
  place: Placement,
  at: Date,
): Promise<void> {
  const { serverId, resources } = request;
  const hasReserved = (await stores.nodes.reservedFor(serverId)).includes(place.nodeId);
  if (!hasReserved) await requirePlaceable(stores, request, place.nodeId);
  try {
    const wanted = [place.allocationId, ...request.additionalAllocationIds];
    for (const [index, allocationId] of wanted.entries()) {
      const field = index === 0 ? 'allocation_id' : 'additional_allocation_ids';
      if (!(await stores.allocations.take(place.nodeId, allocationId, serverId, at)))
        throw await allocationConflict(stores, place.nodeId, allocationId, field);
    }
    if (await stores.nodes.reserve(place.nodeId, serverId, resources, at)) return;
    await requirePlaceable(stores, request, place.nodeId);
    throw fail('NODE_CAPACITY', 'the node is full', { resource: 'memory' });
  } catch (error) {
    await releaseUnused(stores, serverId, place.nodeId);
    throw error;
  }
}

/** Why an allocation is not free; `field` is its request field. */
export async function allocationConflict(
  { allocations }: Pick<Stores, 'allocations'>,
  nodeId: string,
  allocationId: string,
  field: string,
): Promise<Error> {
  if (!(await allocations.exists(nodeId, allocationId)))
    return invalidFields({ [field]: [fieldProblem('not_found', 'must be an allocation of the node')] });
  return fail('ALLOCATION_TAKEN', 'another server has this allocation', { allocation_id: allocationId });
}

async function requirePlaceable(
  { nodes }: PlacementStores,
  { resources, hasFiles }: PlacementRequest,
  nodeId: string,
): Promise<void> {
  const node = await nodes.get(nodeId);
  if (!node) throw invalidFields({ node_id: [fieldProblem('not_found', 'is no node')] });
  if (node.maintenanceMode) throw fail('NODE_MAINTENANCE', 'the node is in maintenance', { node_id: nodeId });
  requireReady(node, { hasFiles });
  const resource = insufficientResource(node, resources);
  if (resource) throw fail('NODE_CAPACITY', `the node has not enough ${resource} left`, { resource });
}

async function tryNode(
  stores: PlacementStores,
  request: PlacementRequest,
  node: GameNode,
  at: Date,
): Promise<Placement | null> {
  const { serverId, resources } = request;
  if (!(await stores.nodes.reserve(node.id, serverId, resources, at))) return null;
  const allocation =
    (await reservedOn(stores, node.id, serverId)) ??
    (await stores.allocations.takeAny(node.id, serverId, at)) ??
    // A parallel attempt for this server may have taken the last one.
    (await reservedOn(stores, node.id, serverId));
  if (allocation) return { nodeId: node.id, allocationId: allocation.id };
  await stores.nodes.releaseUnconfirmed(node.id, serverId);
  return null;
}

async function reservedOn({ allocations }: PlacementStores, nodeId: string, serverId: string) {
  return (await allocations.ofServers([serverId])).find((allocation) => allocation.nodeId === nodeId);
}
