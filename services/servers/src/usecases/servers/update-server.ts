import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { type FieldMessages, invalidFields } from '@panel/kit';
import { attachedAllocation } from '../../domain/allocations/allocation.js';
import { ServerFields } from '../../domain/servers/check-server.js';
import { changedValues, checkEnvironment } from '../../domain/servers/environment.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { type ResourceRequest, insufficientResource } from '../../domain/nodes/node.js';
import { type FeatureLimits, type GameServer, hasAllocation, type ServerLimits } from '../../domain/servers/server.js';
import type { ServerFieldUpdates } from '../../models/servers/server-updates.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { resourceRequestOf } from './create-server.js';
import { allocationConflict } from './reserve-placement.js';

export interface ServerUpdate {
  readonly name: string | undefined;
  readonly description: string | undefined;
  readonly userId: string | undefined;
  /** Empty takes it away. */
  readonly externalId: string | undefined;
  readonly limits: Partial<ServerLimits>;
  readonly featureLimits: Partial<FeatureLimits>;
  readonly dockerImage: string | undefined;
  /** Empty: the egg's. */
  readonly startup: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
  readonly allocationId: string | undefined;
  readonly addAllocationIds: readonly string[];
  readonly removeAllocationIds: readonly string[];
  /** Its variables are those that count, when the server is about to be reinstalled with it; undefined: its own egg. */
  readonly nextEgg: Egg | undefined;
}

interface UpdateDeps {
  readonly stores: Stores;
  readonly userExists: (userId: string) => Promise<boolean>;
}

/**
 * Change a server as staff. Throws INVALID_FIELDS, NODE_CAPACITY, ALLOCATION_TAKEN, EXTERNAL_ID_TAKEN, SERVER_CHANGED.
 */
export async function updateServer(
  deps: UpdateDeps,
  server: GameServer,
  update: ServerUpdate,
  at: Date,
): Promise<GameServer> {
  const changes = await check(deps, server, update);
  const { stores } = deps;
  const { memoryMb, diskMb, cpuPercent } = update.limits;
  if (memoryMb === undefined && diskMb === undefined && cpuPercent === undefined)
    return apply(stores, server, { update, changes, at });
  return withReservation(stores, server, changes.limits ?? {}, async (current, changeId) =>
    apply(stores, current, { update, changes, at, changeId }),
  );
}

interface Application {
  readonly update: ServerUpdate;
  readonly changes: ServerFieldUpdates;
  readonly at: Date;
  readonly changeId?: string;
}

async function apply(
  stores: Stores,
  server: GameServer,
  { update, changes, at, changeId }: Application,
): Promise<GameServer> {
  let current = server;
  for (const allocationId of update.addAllocationIds) {
    current = await addAllocation(stores, current, allocationId, at);
  }
  const updated = await stores.servers.updates.update(server.id, changes, changeId);
  if (!updated) throw fail('SERVER_CHANGED', 'something else was begun with this server');
  current = updated;
  for (const allocationId of update.removeAllocationIds) {
    current = await removeAllocation(stores, current, allocationId, at);
  }
  return current;
}

/** How long to wait for another change of the limits, and how often to look. */
const limitsTurnMs = 5_000;
const pollMs = 20;

/**
 * Change limits with the room for them reserved. More is reserved before the document says so, less given back after, by
 * one change at a time: so a death in between leaves too much reserved, and nothing leaves too little. One who has been
 * asleep for longer than their turn can write neither the limits nor the reservation any more.
 */
async function withReservation(
  stores: Stores,
  { id, nodeId }: GameServer,
  limits: Partial<ServerLimits>,
  work: (current: GameServer, changeId: string) => Promise<GameServer>,
): Promise<GameServer> {
  const { nodes, servers } = stores;
  const changeId = randomUUID();
  const end = performance.now() + limitsTurnMs;
  while (!(await servers.updates.beginLimits(id, changeId))) {
    const current = await servers.get(id);
    if (!current || current.operation || performance.now() > end)
      throw fail('SERVER_CHANGED', 'something else was begun with this server');
    await wait(pollMs);
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

async function check(
  { userExists }: UpdateDeps,
  server: GameServer,
  update: ServerUpdate,
): Promise<ServerFieldUpdates> {
  const checked = new ServerFields();
  const limits = { ...server.limits, ...update.limits };
  const featureLimits = { ...server.featureLimits, ...update.featureLimits };
  if (update.name !== undefined) checked.name(update.name);
  if (update.description !== undefined) checked.description(update.description);
  checked.limits(limits);
  checked.featureLimits(featureLimits);
  if (update.externalId !== undefined) checked.externalId(update.externalId);
  if (update.dockerImage !== undefined) checked.image(update.dockerImage);
  if (update.startup !== undefined && update.startup !== '') checked.startup(update.startup);
  if (update.userId !== undefined && update.userId !== server.userId) {
    checked.refuse(!(await userExists(update.userId)), 'user_id', 'is no user');
  }
  Object.assign(checked.fields, checkValues(server, update));
  checkAllocations(server, update, checked);
  if (!checked.isEmpty) throw invalidFields(checked.fields);
  return {
    name: update.name?.trim(),
    description: update.description,
    userId: update.userId,
    externalId: update.externalId === '' ? null : update.externalId,
    limits: update.limits,
    featureLimits: update.featureLimits,
    dockerImage: update.dockerImage,
    startup: update.startup === '' ? server.egg.startup : update.startup,
    environment: update.environment,
    allocationId: update.allocationId,
  };
}

/** With another egg every value counts, also those that are kept: it may ask for what the one before did not know. */
function checkValues(server: GameServer, { environment, nextEgg }: ServerUpdate): FieldMessages {
  if (nextEgg) {
    const { variables } = nextEgg.spec;
    const kept = variables.flatMap(({ envVariable: name }) => {
      const value = Object.hasOwn(server.environment, name) ? server.environment[name] : undefined;
      return value === undefined ? [] : [[name, value] as const];
    });
    return checkEnvironment(variables, { ...Object.fromEntries(kept), ...environment });
  }
  const changed = changedValues(server.egg.variables, server.environment, environment);
  return pickFields(checkEnvironment(server.egg.variables, changed), changed);
}

/** A value that was kept from earlier rules is nobody's mistake now. */
export function pickFields(
  fields: Record<string, string[]>,
  values: Readonly<Record<string, string>>,
): Record<string, string[]> {
  const named = new Set(Object.keys(values).map((name) => `environment.${name.slice(0, 100)}`));
  return Object.fromEntries(Object.entries(fields).filter(([field]) => named.has(field)));
}

function checkAllocations(server: GameServer, update: ServerUpdate, checked: ServerFields): void {
  const { allocationId, addAllocationIds, removeAllocationIds } = update;
  const after = new Set([...server.allocations.map(({ id }) => id), ...addAllocationIds]);
  for (const id of removeAllocationIds) {
    checked.refuse(!after.delete(id), 'remove_allocation_ids', 'must be allocations of this server');
  }
  checked.refuse(addAllocationIds.length > 50, 'add_allocation_ids', 'must be at most 50');
  const primary = allocationId ?? server.allocationId;
  const field = allocationId === undefined ? 'remove_allocation_ids' : 'allocation_id';
  checked.refuse(!after.has(primary), field, 'the primary allocation must be one the server has');
}

async function addAllocation(stores: Stores, server: GameServer, allocationId: string, at: Date): Promise<GameServer> {
  if (hasAllocation(server, allocationId)) return server;
  if (!(await stores.allocations.take(server.nodeId, allocationId, server.id, at)))
    throw await allocationConflict(stores, server.nodeId, allocationId, 'add_allocation_ids');
  return attachAllocation(stores, server, allocationId, true);
}

/**
 * Put a taken allocation into the server's list, within its limit unless `unlimited`; once, should the same creation be
 * under way twice. Throws SERVER_CHANGED.
 */
export async function attachAllocation(
  stores: Stores,
  server: GameServer,
  allocationId: string,
  unlimited: boolean,
): Promise<GameServer> {
  const row = (await stores.allocations.ofServers([server.id])).find(({ id }) => id === allocationId);
  const added =
    (row && (await stores.servers.updates.addAllocation(server.id, attachedAllocation(row), unlimited))) ??
    (await stores.servers.get(server.id));
  if (!added || !hasAllocation(added, allocationId)) {
    await stores.allocations.releaseUnconfirmed(allocationId, server.id);
    throw fail('SERVER_CHANGED', 'something else was begun with this server');
  }
  if ((await stores.allocations.confirm(server.id, [allocationId])) === 1) return added;
  // Somebody who was refused in the same creation has let go of it in between.
  await stores.servers.updates.removeAllocation(server.id, allocationId);
  throw fail('SERVER_CHANGED', 'the allocation was given back at the same moment');
}

/** Take an allocation from a server. From the moment it is unsettled, a death leaves it to the sweeper. */
export async function removeAllocation(
  stores: Stores,
  server: GameServer,
  allocationId: string,
  at: Date,
): Promise<GameServer> {
  await stores.allocations.markUnconfirmed(server.id, allocationId, at);
  const removed = await stores.servers.updates.removeAllocation(server.id, allocationId);
  if (!removed) {
    await stores.allocations.confirm(server.id, [allocationId]);
    throw fail('SERVER_CHANGED', 'something else was begun with this server');
  }
  await stores.allocations.release(server.id, allocationId);
  return removed;
}
