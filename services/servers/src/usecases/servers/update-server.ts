import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { Actor } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { checkReinstall, checkUnlocked } from '../../domain/power/power-transitions.js';
import { serverNotFound } from '../../domain/servers/access.js';
import { ServerFields } from '../../domain/servers/check-server.js';
import { checkAllocations, checkValues, type ServerUpdate } from '../../domain/servers/server-update.js';
import { type GameServer, hasAllocation } from '../../domain/servers/server.js';
import type { ServerFieldUpdates } from '../../models/servers/server-updates.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { applyToRunningGame } from '../power/apply-to-running-game.js';
import { holdDiskLimit } from '../../nodes/hold-disk-limits.js';
import { attachAllocation, detachAllocation } from './attach-allocation.js';
import { beginReinstall } from './reinstall-server.js';
import { allocationConflict } from './reserve-placement.js';
import { nodeOf } from './load-server.js';
import { withReservation } from './update-limits.js';
import { viewServer, type VisibleServer } from './view-server.js';

export interface UpdateRequest extends ServerUpdate {
  /** Requires `reinstall`. */
  readonly eggId: string | undefined;
  readonly reinstall: boolean;
  readonly skipScripts: boolean;
}

type UpdateDeps = Pick<
  ServersContext,
  'stores' | 'userExists' | 'clock' | 'operations' | 'runtimes' | 'files' | 'log' | 'failpoint'
>;

/** The staff view. Throws as `changeServer`. */
export async function updateServer(
  context: UpdateDeps & Pick<ServersContext, 'timezone'>,
  serverId: string,
  request: UpdateRequest,
  actor: Actor,
): Promise<{ server: VisibleServer; restartNeeded: boolean }> {
  const { server, restartNeeded } = await changeServer(context, serverId, request);
  return { server: await viewServer(context, server, actor, true), restartNeeded };
}

/**
 * Update by staff, with an optional reinstallation; `restartNeeded`: a running game keeps some old settings. Throws
 * SERVER_NOT_FOUND, SERVER_LOCKED, SERVER_SUSPENDED, INVALID_FIELDS, NODE_CAPACITY, ALLOCATION_TAKEN,
 * EXTERNAL_ID_TAKEN, SERVER_CHANGED.
 */
async function changeServer(
  deps: UpdateDeps,
  serverId: string,
  request: UpdateRequest,
): Promise<{ server: GameServer; restartNeeded: boolean }> {
  const { stores, clock, operations } = deps;
  const before = await stores.servers.get(serverId);
  if (!before) throw serverNotFound();
  const nextEgg = await loadNextEgg(stores, request, before);
  if (request.reinstall) checkReinstall(before, clock());
  else if (before.operation) checkUnlocked(before);
  const updated = await updateFields(deps, before, request, nextEgg);
  await verifyOwner(deps, before, updated);
  if (updated.limits.diskMb !== before.limits.diskMb) {
    await holdDiskLimit(deps, await nodeOf(deps, updated), updated);
  }
  const restartNeeded = await applyToRunningGame(deps, before, updated);
  if (!request.reinstall) return { server: updated, restartNeeded };
  const { skipScripts, dockerImage, startup, environment } = request;
  const eggId = nextEgg?.id ?? updated.eggId;
  const server = await beginReinstall(stores, updated, {
    eggId,
    skipScripts,
    chosen: { dockerImage, startup, environment },
  });
  operations.runNow();
  return { server, restartNeeded };
}

/**
 * A user's deletion claims the user before it counts servers. If the new owner was claimed since the check, the
 * previous owner gets the server back. Throws INVALID_FIELDS.
 */
async function verifyOwner(
  { stores, userExists, failpoint }: UpdateDeps,
  before: GameServer,
  updated: GameServer,
): Promise<void> {
  if (updated.userId === before.userId) return;
  failpoint('update.stored');
  if (await userExists(updated.userId)) return;
  await stores.servers.updates.update(updated.id, { userId: before.userId });
  throw invalidFields({ user_id: [fieldProblem('not_found', 'is no user')] });
}

/** Null: unchanged. */
async function loadNextEgg(
  { eggs }: Pick<Stores, 'eggs'>,
  { eggId, reinstall }: UpdateRequest,
  server: GameServer,
): Promise<Egg | undefined> {
  if (eggId === undefined || eggId === server.eggId) return undefined;
  if (!reinstall)
    throw invalidFields({ egg_id: [fieldProblem('read_only', 'can change only together with reinstall')] });
  const egg = await eggs.get(eggId);
  if (!egg) throw invalidFields({ egg_id: [fieldProblem('not_found', 'is no egg')] });
  return egg;
}

async function updateFields(
  deps: UpdateDeps,
  server: GameServer,
  update: ServerUpdate,
  nextEgg: Egg | undefined,
): Promise<GameServer> {
  const changes = await check(deps, server, update, nextEgg);
  const { stores, clock } = deps;
  const at = clock();
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
  if (!updated) throw fail('SERVER_CHANGED', 'something else was started with this server');
  current = updated;
  for (const allocationId of update.removeAllocationIds) {
    current = await detachAllocation(stores, current, allocationId, at);
  }
  return current;
}

async function check(
  { userExists }: UpdateDeps,
  server: GameServer,
  update: ServerUpdate,
  nextEgg: Egg | undefined,
): Promise<ServerFieldUpdates> {
  const checked = new ServerFields();
  const limits = { ...server.limits, ...update.limits };
  const featureLimits = { ...server.featureLimits, ...update.featureLimits };
  if (update.name !== undefined) checked.name(update.name);
  if (update.description !== undefined) checked.description(update.description);
  checked.limits(limits);
  checked.featureLimits(featureLimits);
  checked.runSettings(update.runSettings);
  if (update.externalId !== undefined) checked.externalId(update.externalId);
  if (update.dockerImage !== undefined) checked.image(update.dockerImage);
  if (update.startup !== undefined && update.startup !== '') checked.startup(update.startup);
  if (update.userId !== undefined && update.userId !== server.userId) {
    checked.refuse(!(await userExists(update.userId)), 'user_id', fieldProblem('not_found', 'is no user'));
  }
  Object.assign(checked.fields, checkValues(server, update, nextEgg));
  checkAllocations(server, update, checked);
  if (!checked.isEmpty) throw invalidFields(checked.fields);
  return {
    name: update.name?.trim(),
    description: update.description,
    userId: update.userId,
    externalId: update.externalId === '' ? null : update.externalId,
    limits: update.limits,
    featureLimits: update.featureLimits,
    runSettings: update.runSettings,
    dockerImage: update.dockerImage,
    startup: update.startup === '' ? server.egg.startup : update.startup,
    environment: update.environment,
    allocationId: update.allocationId,
  };
}

async function addAllocation(stores: Stores, server: GameServer, allocationId: string, at: Date): Promise<GameServer> {
  if (hasAllocation(server, allocationId)) return server;
  if (!(await stores.allocations.take(server.nodeId, allocationId, server.id, at)))
    throw await allocationConflict(stores, server.nodeId, allocationId, 'add_allocation_ids');
  return attachAllocation(stores, server, allocationId, { ignoreLimit: true });
}
