import { randomUUID } from 'node:crypto';
import { type CallContext, createOnce, derivedId } from '@panel/rpc';
import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { attachedAllocation } from '../../domain/allocations/allocation.js';
import type { ServersContext } from '../../context.js';
import { ServerFields } from '../../domain/servers/check-server.js';
import { checkEnvironment } from '../../domain/servers/environment.js';
import type { Egg } from '../../domain/eggs/egg.js';
import { resourceRequestOf } from '../../domain/nodes/node.js';
import { filesMissingError } from '../../domain/nodes/node-report.js';
import { type Carried, checkPlacement, newServer, type NewServer } from '../../domain/servers/new-server.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { Stores } from '../../models/stores.js';
import { fail } from '../../reasons.js';
import { copyNodeName } from '../../nodes/copy-node-name.js';
import { deleteServer } from './delete-server.js';
import { viewServer, type VisibleServer } from './view-server.js';
import {
  confirmPlacement,
  releaseUnused,
  type Placement,
  releasePlacement,
  reservePlacement,
} from './reserve-placement.js';

type CreateDeps = Pick<ServersContext, 'stores' | 'files' | 'failpoint' | 'userExists' | 'operations' | 'clock'>;

/** Limits concurrency. Throws RATE_LIMIT_EXCEEDED, and as `createInTurn` or `adopt`. */
export async function createServer(
  context: CreateDeps & Pick<ServersContext, 'placementQueue' | 'timezone'>,
  request: NewServer,
  { idempotencyId, signal, actor }: CallContext,
): Promise<VisibleServer> {
  const creation = async () =>
    request.adoptedId === '' ? createInTurn(context, request, idempotencyId) : adopt(context, request);
  return viewServer(context, await context.placementQueue.run(creation, signal), actor, true);
}

/**
 * Checks, reserves a place, stores the server with a waiting installation. A failure leaves nothing. Retries get the
 * same server. Throws INVALID_FIELDS, EXTERNAL_ID_TAKEN and as `reservePlacement`.
 */
async function createInTurn(
  deps: CreateDeps,
  request: NewServer,
  idempotencyId: string = randomUUID(),
): Promise<GameServer> {
  // A taken short id (rare): derive the next id, the same for all retries.
  for (let id = idempotencyId; ; id = derivedId(id, 'next')) {
    const { object: server } = await createOnce(id, {
      find: async () => {
        const found = await deps.stores.servers.get(id);
        return found && !isDeleting(found) ? found : null;
      },
      create: async () => createUnder(deps, id, request, deps.clock()),
    });
    if (server === 'short id taken') continue;
    deps.operations.runNow();
    return server;
  }
}

/**
 * The server of files that are on the node. Throws INVALID_FIELDS, SERVER_EXISTS, VOLUME_MISSING, NODE_UNREACHABLE,
 * SERVICE_UNAVAILABLE and as `createInTurn`.
 */
async function adopt(deps: CreateDeps, request: NewServer): Promise<GameServer> {
  const { adoptedId: id, nodeId } = request;
  const { stores, files } = deps;
  await check(deps, request);
  if (await stores.servers.get(id)) throw existsError(id);
  const node = await stores.nodes.get(nodeId);
  if (!node) throw invalidFields({ node_id: [fieldProblem('not_found', 'is no node')] });
  if (!(await files.hasVolume(node, id))) throw filesMissingError(node);
  const server = await createUnder(deps, id, request, deps.clock());
  if (server === 'short id taken') throw fail('SERVER_EXISTS', 'another server has the beginning of this id');
  return server;
}

function existsError(id: string) {
  return fail('SERVER_EXISTS', 'there is a server with this id: transfer it with has_files', { server_id: id });
}

async function createUnder(
  deps: CreateDeps,
  id: string,
  request: NewServer,
  at: Date,
): Promise<GameServer | 'short id taken'> {
  const egg = await check(deps, request);
  const { stores } = deps;
  const place = await reservePlacement(stores, placementRequest(id, request), at);
  let isStored = false;
  try {
    deps.failpoint('create.reserved');
    const carried = await carriedFrom(stores, id, place, request);
    const server = newServer({ id, operationId: randomUUID(), at }, carried, request, egg);
    isStored = await stores.servers.create(server);
    if (!isStored) {
      await releaseUnused(stores, id, place.nodeId);
      const found = await stores.servers.get(id);
      if (found && request.adoptedId !== '') throw existsError(id);
      if (found && isDeleting(found)) throw placementLost();
      return found ?? 'short id taken';
    }
    deps.failpoint('create.stored');
    await copyNodeName(stores, place.nodeId, id);
    if (!(await confirmPlacement(stores, server))) throw placementLost();
    // A user's deletion claims the user before it counts servers: one of the two sees the other.
    if (!(await deps.userExists(request.userId)))
      throw invalidFields({ user_id: [fieldProblem('not_found', 'is no user')] });
    // The same for an egg.
    if (!(await stores.eggs.get(request.eggId)))
      throw invalidFields({ egg_id: [fieldProblem('not_found', 'is no egg')] });
    return server;
  } catch (error) {
    if (!isStored) await releaseUnused(stores, id, place.nodeId);
    else if (await stores.servers.deleteUnclaimed(id)) await releasePlacement(stores, id, place.nodeId);
    // Its files are older than this creation.
    else if (request.adoptedId !== '') throw error;
    // A worker installs it: what it makes goes with a deletion.
    else await deleteServer({ ...deps, keepsBackups: false }, id, { force: false });
    throw error;
  }
}

/** Its creation may have failed: it goes. */
function isDeleting({ operation }: GameServer): boolean {
  return operation?.kind === 'deleting';
}

/** Throws LEASE_LOST if a part was swept meanwhile. */
async function carriedFrom(
  { nodes, allocations }: Pick<Stores, 'nodes' | 'allocations'>,
  serverId: string,
  { nodeId, allocationId }: Placement,
  { additionalAllocationIds }: NewServer,
): Promise<Carried> {
  const [node, rows] = await Promise.all([nodes.nameOf(nodeId), allocations.ofServers([serverId])]);
  const reserved = [allocationId, ...additionalAllocationIds].map((wanted) => rows.find(({ id }) => id === wanted));
  const attached = reserved.flatMap((row) => (row ? [attachedAllocation(row)] : []));
  if (!node || attached.length < reserved.length) throw placementLost();
  const { name: nodeName, revision: nodeNameRevision } = node;
  return { nodeId, nodeName, nodeNameRevision, allocationId, allocations: attached };
}

function placementLost() {
  return fail('LEASE_LOST', 'the creation took too long and its place was given away');
}

function placementRequest(serverId: string, request: NewServer) {
  const { nodeId, allocationId } = request;
  return {
    serverId,
    resources: resourceRequestOf(request.limits),
    place: nodeId === '' ? null : { nodeId, allocationId },
    additionalAllocationIds: request.additionalAllocationIds,
    nodeTags: request.nodeTags,
    hasFiles: request.adoptedId !== '',
  };
}

async function check({ stores, userExists }: CreateDeps, request: NewServer): Promise<Egg> {
  const checked = new ServerFields();
  checked.name(request.name);
  checked.description(request.description);
  checked.limits(request.limits);
  checked.featureLimits(request.featureLimits);
  checked.externalId(request.externalId);
  checked.runSettings(request.runSettings ?? {});
  if (request.dockerImage !== '') checked.image(request.dockerImage);
  if (request.startup !== '') checked.startup(request.startup);
  checkPlacement(request, checked);
  const egg = await stores.eggs.get(request.eggId);
  checked.refuse(!egg, 'egg_id', fieldProblem('not_found', 'is no egg'));
  checked.refuse(!(await userExists(request.userId)), 'user_id', fieldProblem('not_found', 'is no user'));
  if (egg) Object.assign(checked.fields, checkEnvironment(egg.spec.variables, request.environment));
  if (!egg || !checked.isEmpty) throw invalidFields(checked.fields);
  return egg;
}
