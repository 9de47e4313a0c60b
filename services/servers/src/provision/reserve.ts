import type { Demand, GameNode } from '../domain/node.js';
import { lackingResource } from '../domain/node.js';
import type { GameServer } from '../domain/server.js';
import type { Stores } from '../models/stores.js';
import { fail } from '../reasons.js';

export interface Place {
  readonly nodeId: string;
  readonly allocationId: string;
}

export interface PlaceRequest {
  readonly serverId: string;
  readonly demand: Demand;
  /** Null: the panel chooses. */
  readonly place: Place | null;
  readonly additionalAllocationIds: readonly string[];
  /** Only nodes that carry all of them, when the panel chooses. */
  readonly nodeTags: readonly string[];
}

type PlaceStores = Pick<Stores, 'nodes' | 'allocations' | 'servers'>;

/**
 * Reserve capacity and allocations for a server, all of it or nothing. Unconfirmed: `confirmPlace` makes it last. What an
 * earlier try of the same creation has reserved is taken over; parallel ones share it, so that none of them may give back
 * what another has made its server with: see `giveBack`. Throws NODE_NOT_FOUND, NODE_MAINTENANCE, NODE_CAPACITY, ALLOCATION_NOT_FOUND, ALLOCATION_TAKEN, NO_NODE_FITS.
 */
export async function reservePlace(stores: PlaceStores, request: PlaceRequest, at: Date): Promise<Place> {
  if (request.place) {
    await reserveAt(stores, request, request.place, at);
    return request.place;
  }
  const reserved = await stores.nodes.reservedFor(request.serverId);
  for (const node of await candidates(stores, request, reserved)) {
    const place = await tryNode(stores, request, node, at);
    if (place) return place;
  }
  throw fail('NO_NODE_FITS', 'no node has room and a free allocation for this server');
}

/** Keep what was reserved. False when the sweeper took some of it, because the creation was asleep for minutes. */
export async function confirmPlace(
  stores: PlaceStores,
  server: Pick<GameServer, 'id' | 'nodeId' | 'allocationIds'>,
): Promise<boolean> {
  if (!(await stores.nodes.confirm(server.nodeId, server.id))) return false;
  return (await stores.allocations.confirm(server.id, server.allocationIds)) === server.allocationIds.length;
}

/** Give back what was reserved in vain: nothing of a server that has come to be all the same. Idempotent. */
export async function giveBack(stores: PlaceStores, serverId: string, nodeId: string): Promise<void> {
  const server = await stores.servers.get(serverId);
  await stores.allocations.releaseUnused(serverId, server?.allocationIds ?? []);
  if (server?.nodeId !== nodeId) await stores.nodes.releaseUnconfirmed(nodeId, serverId);
}

/** Give everything back. Idempotent. */
export async function releasePlace(
  stores: Pick<Stores, 'nodes' | 'allocations'>,
  serverId: string,
  nodeId: string,
): Promise<void> {
  await stores.allocations.releaseAll(serverId);
  await stores.nodes.release(nodeId, serverId);
}

/** Allocations first: of many who want the same one, the losers should not fill the node while they lose. */
async function reserveAt(stores: PlaceStores, request: PlaceRequest, place: Place, at: Date): Promise<void> {
  const { serverId, demand } = request;
  const hasReserved = (await stores.nodes.reservedFor(serverId)).includes(place.nodeId);
  const refusal = hasReserved ? null : await whyNot(stores, place.nodeId, demand);
  if (refusal) throw refusal;
  try {
    for (const allocationId of [place.allocationId, ...request.additionalAllocationIds]) {
      await takeAllocation(stores, place.nodeId, allocationId, serverId, at);
    }
    if (await stores.nodes.reserve(place.nodeId, serverId, demand, at)) return;
    throw (
      (await whyNot(stores, place.nodeId, demand)) ?? fail('NODE_CAPACITY', 'the node is full', { resource: 'memory' })
    );
  } catch (error) {
    await giveBack(stores, serverId, place.nodeId);
    throw error;
  }
}

async function takeAllocation(stores: PlaceStores, nodeId: string, allocationId: string, serverId: string, at: Date) {
  if (await stores.allocations.take(nodeId, allocationId, serverId, at)) return;
  const metadata = { allocation_id: allocationId };
  if (await stores.allocations.exists(nodeId, allocationId)) {
    throw fail('ALLOCATION_TAKEN', 'another server has this allocation', metadata);
  }
  throw fail('ALLOCATION_NOT_FOUND', 'the node has no such allocation', metadata);
}

async function whyNot(stores: PlaceStores, nodeId: string, demand: Demand): Promise<Error | null> {
  const node = await stores.nodes.get(nodeId);
  if (!node) return fail('NODE_NOT_FOUND', 'no such node', { node_id: nodeId });
  if (node.maintenanceMode) return fail('NODE_MAINTENANCE', 'the node is in maintenance', { node_id: nodeId });
  const resource = lackingResource(node, demand);
  return resource && fail('NODE_CAPACITY', `the node has not enough ${resource} left`, { resource });
}

/** Nodes that could take it: those first where an earlier try has reserved it, then by free memory. */
async function candidates(
  stores: PlaceStores,
  { demand, nodeTags }: PlaceRequest,
  reserved: readonly string[],
): Promise<GameNode[]> {
  const nodes = await stores.nodes.all();
  const free = (node: GameNode) => (reserved.includes(node.id) ? Infinity : node.memoryMb - node.allocated.memoryMb);
  return nodes
    .filter((node) => reserved.includes(node.id) || (!node.maintenanceMode && lackingResource(node, demand) === null))
    .filter(({ tags }) => nodeTags.every((tag) => tags.includes(tag)))
    .sort((a, b) => compare(free(b), free(a)));
}

/** Not a difference, which two infinities do not have. */
function compare(one: number, other: number): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

async function tryNode(stores: PlaceStores, request: PlaceRequest, node: GameNode, at: Date): Promise<Place | null> {
  const { serverId, demand } = request;
  if (!(await stores.nodes.reserve(node.id, serverId, demand, at))) return null;
  const allocation =
    (await reservedOn(stores, node.id, serverId)) ??
    (await stores.allocations.takeAny(node.id, serverId, at)) ??
    // A parallel try may have taken the last one meanwhile, for the same server.
    (await reservedOn(stores, node.id, serverId));
  if (allocation) return { nodeId: node.id, allocationId: allocation.id };
  await stores.nodes.releaseUnconfirmed(node.id, serverId);
  return null;
}

async function reservedOn({ allocations }: PlaceStores, nodeId: string, serverId: string) {
  return (await allocations.ofServers([serverId])).find((allocation) => allocation.nodeId === nodeId);
}
