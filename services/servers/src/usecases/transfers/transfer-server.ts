import type { Failpoint } from '@panel/kit/process';
import { randomUUID } from 'node:crypto';
import { type FieldMessages, fieldProblem, invalidFields, requireValid } from '@panel/kit/errors';
import type { Actor, GrantSigner } from '@panel/rpc';
import type { ServersContext } from '../../context.js';
import { isPowerLeased } from '../../domain/power/power-transitions.js';
import { serverNotFound } from '../../domain/servers/access.js';
import type { GameNode } from '../../domain/nodes/node.js';
import { requireReady } from '../../domain/nodes/node-status.js';
import { insufficientResource, resourceRequestOf } from '../../domain/nodes/node.js';
import type { GameServer } from '../../domain/servers/server.js';
import type { OperationLease } from '../../models/servers/server-operations.js';
import type { Stores } from '../../models/stores.js';
import type { NodeFiles } from '../../node-clients/files.js';
import type { Runtimes } from '../../node-clients/runtimes.js';
import { filesMissingError } from '../../domain/nodes/node-report.js';
import { fail } from '../../reasons.js';
import { requireRoom } from '../../domain/nodes/require-room.js';
import { checkRecovery } from './check-recovery.js';
import { viewServer, type VisibleServer } from '../servers/view-server.js';

export interface TransferRequest {
  readonly nodeId: string;
  /** Empty: any. */
  readonly allocationId: string;
  /** Null: as many as now. */
  readonly additionalAllocationIds: readonly string[] | null;
  /** Null: the files are copied. */
  readonly backupId: string | null;
  /** The files are on that node already. */
  readonly hasFiles: boolean;
}

interface TransferDeps {
  readonly stores: Pick<Stores, 'servers' | 'nodes' | 'allocations'>;
  readonly files: NodeFiles;
  readonly grants: Pick<GrantSigner, 'sign'>;
  readonly runtimes: Pick<Runtimes, 'of'>;
  readonly failpoint: Failpoint;
  /** This replica. */
  readonly owner: string;
  /** Exceeds the reservations; later another replica ends the transfer. */
  readonly reserveTtlMs: number;
}

const maxAdditional = 50;

/** Throws SERVER_NOT_FOUND and as `beginTransfer`. */
export async function transferServer(
  context: ServersContext,
  serverId: string,
  request: TransferRequest,
  actor: Actor,
): Promise<VisibleServer> {
  const { operations, stores, files, grants, runtimes, failpoint, clock, replicaId, workTtlMs } = context;
  const server = await stores.servers.get(serverId);
  if (!server) throw serverNotFound();
  const deps = { stores, files, grants, runtimes, failpoint, owner: replicaId, reserveTtlMs: workTtlMs };
  const started = await beginTransfer(deps, server, request, clock());
  operations.runNow();
  return viewServer(context, started, actor, true);
}

/**
 * Checks everything, claims the server, reserves on the target. A failure changes nothing. Throws INVALID_FIELDS,
 * SERVER_LOCKED, TRANSFER_CLEANUP_PENDING, NODE_MAINTENANCE, NODE_NOT_READY, NODE_CAPACITY, NODE_DISK_FULL,
 * ALLOCATION_TAKEN, NO_FREE_ALLOCATION, NODE_UNREACHABLE, SERVICE_UNAVAILABLE, with files there VOLUME_MISSING, and with a backup as
 * `checkRecovery`.
 */
async function beginTransfer(
  deps: TransferDeps,
  server: GameServer,
  request: TransferRequest,
  at: Date,
): Promise<GameServer> {
  const { servers, nodes } = deps.stores;
  const { target, source } = await checkTransfer(deps, server, request, at);
  const { backupId, hasFiles } = request;
  if (backupId !== null) await checkRecovery(deps, server, { source, target, backupId });
  else if (hasFiles) await checkFilesThere(deps, server, source, target);
  else await checkNodes(deps, server, source, target);
  // After the calls: their reasons are newer than the record.
  requireReady(target, { hasFiles });
  const id = randomUUID();
  const { owner, reserveTtlMs: ttlMs } = deps;
  const plan = { id, targetNodeId: target.id, owner, ttlMs, backupId, hasFiles };
  const started = await servers.transfers.begin(server.id, plan);
  if (!started) throw fail('SERVER_LOCKED', 'something else is in progress with this server');
  deps.failpoint('transfer.created');
  const lease: OperationLease = { serverId: server.id, operationId: id, fence: started.operation?.fence ?? 0 };
  const taken: string[] = [];
  try {
    await takeAllocations(deps, started, request, at, taken);
    deps.failpoint('transfer.taken');
    if (!(await nodes.reserve(target.id, server.id, resourceRequestOf(started.limits), at)))
      throw await capacityConflict(deps, target, started);
    deps.failpoint('transfer.reserved');
    const waiting = await servers.transfers.reserved(lease, taken);
    if (!waiting) throw fail('SERVER_CHANGED', 'the transfer was called off while its place was reserved');
    deps.failpoint('transfer.recorded');
    return waiting;
  } catch (error) {
    await undo(deps, lease, target.id, taken);
    throw error;
  }
}

/**
 * Frees reservations only under the lease: later they could be another server's. Those of an ended transfer are
 * unconfirmed, for the sweeper.
 */
async function undo(
  { stores, reserveTtlMs }: TransferDeps,
  lease: OperationLease,
  nodeId: string,
  taken: readonly string[],
): Promise<void> {
  const { servers, nodes, allocations } = stores;
  if (!(await servers.operations.renew(lease, reserveTtlMs))) return;
  for (const allocationId of taken) await allocations.release(lease.serverId, allocationId);
  await nodes.release(nodeId, lease.serverId);
  await servers.operations.discard(lease);
}

/** Checks by documents only. */
async function checkTransfer(
  { stores, files }: TransferDeps,
  server: GameServer,
  request: TransferRequest,
  at: Date,
): Promise<{ target: GameNode; source: GameNode }> {
  checkRequest(server, request);
  const { operation, power, pendingCleanups = [] } = server;
  if (operation) throw fail('SERVER_LOCKED', `the server is ${operation.kind}`, { operation: operation.kind });
  if (power.lease && isPowerLeased(power, at)) {
    throw fail('SERVER_LOCKED', 'a power action is in progress', { action: power.lease.action });
  }
  const [target, source] = await Promise.all([stores.nodes.get(request.nodeId), stores.nodes.get(server.nodeId)]);
  if (!target) throw invalidFields({ node_id: [fieldProblem('not_found', 'is no node')] });
  if (!source) throw fail('NODE_NOT_FOUND', 'the node of this server no longer exists', { node_id: server.nodeId });
  // Also under another node's name: a cleanup must not remove the new copy.
  const left = await stores.nodes.getMany(pendingCleanups.map(({ nodeId }) => nodeId));
  if (left.some((node) => node.id === target.id || files.isShared(node, target))) throw cleanupPendingError(target.id);
  if (target.maintenanceMode) throw fail('NODE_MAINTENANCE', 'the node is in maintenance', { node_id: target.id });
  const resource = insufficientResource(target, resourceRequestOf(server.limits));
  if (resource) throw fail('NODE_CAPACITY', `the node has not enough ${resource} left`, { resource });
  await checkAllocations(stores, request);
  return { target, source };
}

function cleanupPendingError(nodeId: string) {
  const words = 'that node still has files of an earlier transfer of this server; they are being removed';
  return fail('TRANSFER_CLEANUP_PENDING', words, { node_id: nodeId });
}

function checkRequest(
  server: GameServer,
  { nodeId, allocationId, additionalAllocationIds, backupId, hasFiles }: TransferRequest,
): void {
  if (nodeId === server.nodeId)
    throw invalidFields({ node_id: [fieldProblem('unchanged', 'is the node the server is on')] });
  if (hasFiles && backupId !== null)
    throw invalidFields({ has_files: [fieldProblem('not_allowed', 'cannot be given together with backup_id')] });
  const additional = additionalAllocationIds ?? [];
  const isOdd = new Set([allocationId, ...additional]).size <= additional.length || additional.length > maxAdditional;
  if (!isOdd) return;
  throw invalidFields({ additional_allocation_ids: [`must be at most ${maxAdditional} different ones`] });
}

async function checkAllocations({ allocations }: TransferDeps['stores'], request: TransferRequest): Promise<void> {
  const { nodeId, allocationId, additionalAllocationIds } = request;
  const missing = [fieldProblem('not_found', 'is no allocation of that node')];
  const problems: FieldMessages = {};
  if (allocationId !== '' && !(await allocations.exists(nodeId, allocationId))) problems.allocation_id = missing;
  for (const id of additionalAllocationIds ?? []) {
    if (!(await allocations.exists(nodeId, id))) problems.additional_allocation_ids = missing;
  }
  requireValid(problems);
}

/** Both nodes answer, and the files fit. */
async function checkNodes(
  { files, runtimes }: TransferDeps,
  server: GameServer,
  source: GameNode,
  target: GameNode,
): Promise<void> {
  const [used, free] = await Promise.all([
    files.measure(source, server),
    files.freeBytes(target),
    runtimes.of(source).ping(),
    runtimes.of(target).ping(),
  ]);
  if (!files.isShared(source, target)) requireRoom(used, free);
}

/** After an older dump of the database was restored: its record says another node than the files. */
async function checkFilesThere(
  { files, runtimes }: TransferDeps,
  server: GameServer,
  source: GameNode,
  target: GameNode,
): Promise<void> {
  if (files.isShared(source, target))
    throw invalidFields({ node_id: ['has the files of the server already: its node shares them'] });
  if (!(await files.hasVolume(target, server.id))) throw filesMissingError(target);
  await runtimes.of(target).ping();
}

/** The requested ones or any; `taken` lists them even after an error. */
async function takeAllocations(
  { stores: { allocations } }: TransferDeps,
  server: GameServer,
  { nodeId, allocationId, additionalAllocationIds }: TransferRequest,
  at: Date,
  taken: string[],
): Promise<void> {
  const take = async (id: string) => {
    if (await allocations.take(nodeId, id, server.id, at)) taken.push(id);
    else throw fail('ALLOCATION_TAKEN', 'another server has this allocation', { allocation_id: id });
  };
  const takeAny = async (ip?: string) => {
    const found =
      (ip === undefined ? null : await allocations.takeAny(nodeId, server.id, at, ip)) ??
      (await allocations.takeAny(nodeId, server.id, at));
    if (!found) throw fail('NO_FREE_ALLOCATION', 'the node has not enough free allocations', { node_id: nodeId });
    taken.push(found.id);
    return found.ip;
  };
  // Named ones first: automatic choices must not take them.
  const named = [allocationId, ...(additionalAllocationIds ?? [])].filter((id) => id !== '');
  for (const id of named) await take(id);
  if (allocationId === '') {
    await takeAny();
    taken.unshift(...taken.splice(-1));
  }
  if (additionalAllocationIds !== null) return;
  const primary = (await allocations.ofServers([server.id])).find(({ id }) => id === taken[0]);
  while (taken.length < server.allocations.length) await takeAny(primary?.ip);
}

async function capacityConflict({ stores }: TransferDeps, { id }: GameNode, server: GameServer): Promise<Error> {
  const node = await stores.nodes.get(id);
  if (!node) return fail('NODE_NOT_FOUND', 'the node was deleted', { node_id: id });
  if (node.maintenanceMode) return fail('NODE_MAINTENANCE', 'the node is in maintenance', { node_id: id });
  const resource = insufficientResource(node, resourceRequestOf(server.limits)) ?? 'memory';
  return fail('NODE_CAPACITY', `the node has not enough ${resource} left`, { resource });
}
