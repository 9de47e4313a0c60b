import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { insufficientResource, type ResourceRequest, resourceRequestOf } from '../../domain/nodes/node.js';
import type { GameServer, ServerLimits } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';

/** Limit of the wait for other changes; the polling backs off. */
const limitsTurnMs = 5_000;
const [firstPauseMs, maxPauseMs] = [20, 200];

/**
 * Reserves more before the document's write, frees after it, one change at a time: a crash leaves too much reserved,
 * never too little. A process that outslept its turn can write neither.
 */
export async function withReservation(
  stores: Stores,
  { id, nodeId }: GameServer,
  limits: Partial<ServerLimits>,
  work: (current: GameServer, changeId: string) => Promise<GameServer>,
): Promise<GameServer> {
  const { nodes, servers } = stores;
  const changeId = randomUUID();
  const end = performance.now() + limitsTurnMs;
  for (
    let pauseMs = firstPauseMs;
    !(await servers.updates.beginLimits(id, changeId));
    pauseMs = Math.min(pauseMs * 2, maxPauseMs)
  ) {
    const current = await servers.get(id);
    if (!current || current.operation || performance.now() > end)
      throw fail('SERVER_CHANGED', 'something else was started with this server');
    await wait(pauseMs);
  }
  try {
    const current = await servers.get(id);
    if (!current) throw fail('SERVER_CHANGED', 'the server has been deleted');
    const reserved = maxResources(current, resourceRequestOf({ ...current.limits, ...limits }));
    if (!(await nodes.changeReservation(nodeId, id, reserved, changeId)))
      throw await capacityError(stores, current, reserved);
    return await work(current, changeId);
  } finally {
    const latest = await servers.get(id);
    if (latest) await nodes.commitReservation(nodeId, id, resourceRequestOf(latest.limits), changeId);
    await servers.updates.endLimits(id, changeId);
  }
}

async function capacityError(
  { nodes }: Stores,
  { nodeId, limits }: GameServer,
  wanted: ResourceRequest,
): Promise<Error> {
  const node = await nodes.get(nodeId);
  const growth = {
    memoryMb: wanted.memoryMb - limits.memoryMb,
    diskMb: wanted.diskMb - limits.diskMb,
    cpuPercent: wanted.cpuPercent - limits.cpuPercent,
  };
  const resource = (node && insufficientResource(node, growth)) ?? 'memory';
  return fail('NODE_CAPACITY', `the node has not enough ${resource} left for these limits`, { resource });
}

function maxResources({ limits }: GameServer, wanted: ReturnType<typeof resourceRequestOf>) {
  return {
    memoryMb: Math.max(limits.memoryMb, wanted.memoryMb),
    diskMb: Math.max(limits.diskMb, wanted.diskMb),
    cpuPercent: Math.max(limits.cpuPercent, wanted.cpuPercent),
  };
}
