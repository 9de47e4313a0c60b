import { randomUUID } from 'node:crypto';
import { isAppError, messageOf } from '@panel/kit/errors';
import { type ReceiveVolumeResponse, ReceiveVolumeResponse_Phase } from '@panel/protos/files';
import { attachedAllocation } from '../domain/allocations/allocation.js';
import type { GameNode } from '../domain/nodes/node.js';
import type { GameServer, Transfer } from '../domain/servers/server.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { TransferPoint, TransferTarget } from '../models/servers/server-transfers.js';
import { fail } from '../reasons.js';
import { copyNodeName } from '../nodes/copy-node-name.js';
import { holdDiskLimit } from '../nodes/hold-disk-limits.js';
import type { Lease } from '@panel/kit/lease';
import { acquireFreeze, confirmFreeze, thaw } from './freeze-lease.js';
import type { OperationDeps } from './operation.js';
import { IdleTimeout } from './idle-timeout.js';
import { moveBackups } from './move-backups.js';
import { acquireTransferSlot } from './transfer-slot.js';

/** Copies after which the files change too much to be moved. */
const maxCopies = 3;
/** The files service speaks at least every 5 s. */
const idleTimeoutMs = 60_000;
const writeEveryMs = 1_000;
/** Farther than any copy. */
const allBytes = Number.MAX_SAFE_INTEGER;
/** Claims after which something about it ends its workers. */
const maxClaims = 200;
const slotRetryMs = 1_000;
const minRetryMs = 1_000;
const maxRetryMs = 15_000;

interface Job {
  readonly server: GameServer;
  readonly transfer: Transfer;
  readonly lease: OperationLease;
  readonly source: GameNode;
  readonly target: GameNode;
  readonly signal: AbortSignal;
}

/**
 * Move a server, step by step, each repeatable: wait for its turn, stop it, freeze its files, copy and compare them, and make
 * it a server of the target by one write. A failure that may pass leaves it to the next try, until nothing has moved on for `transferTimeoutMs`;
 * any other one ends the transfer, and the server stays where it was. Throws LEASE_LOST when it was cancelled, or another
 * worker has taken over.
 */
export async function transferServer(
  deps: OperationDeps,
  server: GameServer,
  lease: OperationLease,
  signal: AbortSignal,
): Promise<void> {
  const startedAt = deps.clock().getTime();
  try {
    await withSlot(deps, await prepare(deps, server, lease, signal));
  } catch (error) {
    if (signal.aborted || isAppError(error, 'LEASE_LOST')) throw error;
    await failed(deps, server, lease, { error, startedAt });
  }
}

/** Keep what was reserved, and find both nodes. */
async function prepare(
  deps: OperationDeps,
  server: GameServer,
  lease: OperationLease,
  signal: AbortSignal,
): Promise<Job> {
  const transfer = server.operation?.transfer;
  if (
    transfer &&
    lease.fence > maxClaims &&
    deps.clock().getTime() - transfer.movedAt.getTime() > deps.settings.transferTimeoutMs
  ) {
    throw fail('TRANSFER_UNSTABLE', 'it was interrupted too often');
  }
  if (!transfer || transfer.allocationIds.length === 0) {
    throw fail('RESERVATION_LOST', 'the panel was interrupted while it reserved the place on the node');
  }
  const [source, target] = await Promise.all([deps.nodes.get(server.nodeId), deps.nodes.get(transfer.targetNodeId)]);
  if (!source || !target) throw fail('NODE_NOT_FOUND', 'one of the two nodes no longer exists');
  const hasCapacity = await deps.nodes.confirm(target.id, server.id);
  const kept = await deps.allocations.confirm(server.id, transfer.allocationIds);
  if (!hasCapacity || kept < transfer.allocationIds.length) {
    throw fail('RESERVATION_LOST', 'the place on the node was given away meanwhile');
  }
  return { server, transfer, lease, source, target, signal };
}

/** Few at a time on one node; who waits is not stopped yet. Where no bytes move none has to. */
async function withSlot(deps: OperationDeps, job: Job): Promise<void> {
  const { server, source, target, lease } = job;
  if (deps.files.isShared(source, target)) return move(deps, job);
  const hasStarted = server.operation?.step !== 'waiting';
  const slot = await acquireTransferSlot(deps, server.id, [source.id, target.id], hasStarted);
  if (!slot) return deps.servers.transfers.waitForSlot(lease, slotRetryMs);
  try {
    await move(deps, job);
  } finally {
    await slot.stop();
    const now = await deps.servers.get(server.id);
    const isOver = now?.operation?.id !== lease.operationId;
    if (isOver) await slot.release();
    // The request that cancelled it may have thawed the files just before they were frozen here.
    if (isOver && now?.nodeId === source.id) await thaw(deps, source, lease);
  }
}

async function move(deps: OperationDeps, job: Job): Promise<void> {
  const { server, source, target, lease } = job;
  if (server.operation?.step === 'waiting') {
    // The time it has waited for its turn is not its own.
    await advance(deps, lease, { step: 'backups', percent: 0, doneBytes: 0 });
    deps.hub.console(server.id).notice(`the server is moving to the node ${target.name}`);
  }
  const isShared = deps.files.isShared(source, target);
  // Before the game stops: no backup is made or deleted while the server has an operation.
  if (!isShared) await moveBackups(deps, job);
  deps.failpoint('transfer.backups_moved');
  await stop(deps, job);
  deps.failpoint('transfer.stopped');
  if (isShared) return switchNodes(deps, job);
  const freeze = await acquireFreeze(deps, source, lease);
  try {
    deps.failpoint('transfer.frozen');
    // An installation that failed at once may have left nothing to copy. The files of any other server must be there: a
    // disk that is not mounted would be moved as an empty one.
    if (server.install.state !== 'installed') await deps.files.ensureVolume(source, server);
    const digest = await copy(deps, job);
    deps.failpoint('transfer.copied');
    await verify(deps, job, digest);
    deps.failpoint('transfer.verified');
    await switchNodes(deps, job, freeze);
  } finally {
    await freeze.stop();
  }
}

async function stop(deps: OperationDeps, { server, lease, source }: Job): Promise<void> {
  const runtime = deps.runtimes.of(source);
  const isRunning = (await runtime.inspect(server.id))?.state === 'running';
  if (server.power.state === 'offline' && !isRunning) return;
  await step(deps, lease, 'stop', 2);
  deps.failpoint('transfer.stop');
  await deps.power.forceStop(server, deps.power.graceMsOf(server), lease);
}

/** The digest of what is on the target's disk now. */
async function copy(deps: OperationDeps, job: Job): Promise<string> {
  const { server, lease, transfer, signal } = job;
  await step(deps, lease, 'copy', percentOf(0, 0));
  deps.failpoint('transfer.copy');
  const idle = new IdleTimeout(idleTimeoutMs, signal);
  const written = { at: -Infinity, doneBytes: transfer.doneBytes, movedAt: performance.now() };
  try {
    for await (const message of deps.files.receive(job, server.id, transfer.copyId, idle.signal)) {
      idle.reset();
      if (message.end) return message.end.value.treeSha256;
      await report(deps, job, message, written);
    }
  } catch (error) {
    if (isAppError(error, 'TRANSFER_DISCARDED')) {
      await copyAnew(deps, job);
      throw fail('FILES_CHANGED', 'the copy has to start again', {}, { cause: error });
    }
    throw idle.hasExpired
      ? fail('TARGET_TIMEOUT', 'the files service of the node has said nothing for a minute')
      : error;
  } finally {
    idle.end();
  }
  throw fail('TARGET_TIMEOUT', 'the files service of the node ended before the copy was done');
}

/** Write down how far it is, once a second. Reading again what was copied before is no progress. */
async function report(
  deps: OperationDeps,
  { lease, transfer }: Job,
  message: ReceiveVolumeResponse,
  written: { at: number; doneBytes: number; movedAt: number },
): Promise<void> {
  if (performance.now() - written.at < writeEveryMs) return;
  written.at = performance.now();
  const { bytesDone, bytesVerified, bytesTotal, phase } = message;
  const doneBytes = bytesDone + bytesVerified;
  const name = phase === ReceiveVolumeResponse_Phase.VERIFYING ? 'verify' : 'copy';
  const percent = percentOf(doneBytes, bytesTotal * 2);
  if (doneBytes > Math.max(written.doneBytes, transfer.doneBytes)) {
    written.doneBytes = doneBytes;
    written.movedAt = written.at;
    return advance(deps, lease, { step: name, percent, doneBytes });
  }
  if (written.at - written.movedAt > deps.settings.transferTimeoutMs) {
    throw fail('TARGET_TIMEOUT', 'the copy makes no progress');
  }
  await step(deps, lease, name, percent);
}

/** Copying and comparing on the target is 5 to 85 percent of all. */
function percentOf(done: number, total: number): number {
  return total === 0 ? 5 : 5 + Math.floor((80 * Math.min(done, total)) / total);
}

/** The source as it is now must be what the target has: a late write may still have reached it. */
async function verify(deps: OperationDeps, job: Job, digest: string): Promise<void> {
  const { server, source, lease, signal, transfer } = job;
  if (transfer.doneBytes < allBytes) await advance(deps, lease, { step: 'verify', percent: 88, doneBytes: allBytes });
  else await step(deps, lease, 'verify', 88);
  deps.failpoint('transfer.verify');
  if ((await deps.files.digest(source, server.id, signal)) === digest) return;
  deps.log.warn({ ...lease }, 'the files of a server changed while it was moved');
  await copyAnew(deps, job);
  throw fail('FILES_CHANGED', 'the files have changed meanwhile');
}

/** What a copy has brought is of no use any more: the next try begins another one. Throws TRANSFER_UNSTABLE. */
async function copyAnew(deps: OperationDeps, { server, transfer, target, lease }: Job): Promise<void> {
  if (transfer.copies >= maxCopies) throw fail('TRANSFER_UNSTABLE', 'the files keep changing while they are copied');
  await deps.files.discard(target, server.id, transfer.copyId);
  requireLease(await deps.servers.transfers.copyAnew(lease, randomUUID()));
}

async function switchNodes(
  deps: OperationDeps,
  { server, source, target, transfer, lease }: Job,
  freeze?: Lease,
): Promise<void> {
  await step(deps, lease, 'switch', 97);
  // Started manually on the engine, it would continue there with files that are removed under it.
  if ((await deps.runtimes.of(source).inspect(server.id))?.state === 'running') {
    throw fail('GAME_STILL_RUNS', 'the game runs on the node it is leaving');
  }
  deps.failpoint('transfer.switch');
  if (freeze) await confirmFreeze(freeze);
  const console = deps.hub.find(server.id);
  if (!(await deps.servers.transfers.moved(lease, await placeOn(deps, server, target, transfer)))) {
    requireLease(await deps.servers.operations.progress(lease, 'stop', 2));
    throw fail('GAME_STILL_RUNS', 'a power action is in progress');
  }
  deps.failpoint('transfer.switched');
  await copyNodeName(deps, target.id, server.id);
  await holdDiskLimit(deps, target, server);
  const properties = { node_id: target.id };
  await deps.activity.record({ event: 'server:transfer.completed', serverId: server.id, properties }, null);
  console?.notice(`the server has moved to the node ${target.name}`);
  deps.log.info({ ...lease, from: source.id, to: target.id }, 'a server has moved');
  // Its watchers go to the replica that watches the new node; here they would see the old one.
  if (!deps.isOwned(target.id)) deps.hub.close([server.id]);
}

/** What the server is to carry of its new node. Throws RESERVATION_LOST. */
async function placeOn(
  { nodes, allocations }: OperationDeps,
  server: GameServer,
  target: GameNode,
  transfer: Transfer,
): Promise<TransferTarget> {
  const [nodeName, rows] = await Promise.all([nodes.nameOf(target.id), allocations.ofServers([server.id])]);
  const reserved = transfer.allocationIds.map((allocationId) => rows.find(({ id }) => id === allocationId));
  const attached = reserved.flatMap((row) => (row ? [attachedAllocation(row)] : []));
  if (nodeName && attached.length === reserved.length) return { nodeName, allocations: attached };
  throw fail('RESERVATION_LOST', 'the place on the node was given away meanwhile');
}

/** Wait for a better time, or end it. */
async function failed(
  deps: OperationDeps,
  server: GameServer,
  lease: OperationLease,
  { error, startedAt }: { readonly error: unknown; readonly startedAt: number },
): Promise<void> {
  const movedAt = (await deps.servers.get(server.id))?.operation?.transfer?.movedAt ?? server.updatedAt;
  // What this try took does not count: comparing a large volume takes long.
  const stuckMs = Math.max(0, startedAt - movedAt.getTime());
  const isStuck = stuckMs >= deps.settings.transferTimeoutMs;
  const isRetryable = !isAppError(error) || retryableKinds.has(error.kind);
  if (isRetryable && !isStuck) {
    deps.log.warn({ err: error, ...lease }, 'a transfer has to wait');
    const delayMs = Math.min(maxRetryMs, Math.max(minRetryMs, stuckMs / 4));
    return deps.servers.operations.release(lease, Math.floor(delayMs));
  }
  deps.log.warn({ err: error, ...lease }, 'a transfer has failed');
  await giveUpTransfer(
    deps,
    lease,
    isRetryable ? `it got no further for too long: ${describe(error)}` : describe(error),
  );
}

export async function giveUpTransfer(deps: OperationDeps, lease: OperationLease, error: string): Promise<void> {
  const ended = await deps.servers.transfers.end(lease.serverId, { outcome: 'failed', error }, lease);
  if (!ended) return;
  await deps.activity.record(
    { event: 'server:transfer.failed', serverId: lease.serverId, properties: { error } },
    null,
  );
  deps.hub.console(lease.serverId).notice(`the server stays where it is, the transfer failed: ${error}`);
}

/** Kinds of failures that another try may not meet. */
const retryableKinds: ReadonlySet<string> = new Set([
  'unavailable',
  'deadline_exceeded',
  'aborted',
  'cancelled',
  'internal',
]);

function describe(error: unknown): string {
  if (!isAppError(error) || error.kind === 'internal') return 'an unexpected error';
  return `${messageOf(error).slice(0, 300)} (${error.reason.toLowerCase()})`;
}

async function step(deps: OperationDeps, lease: OperationLease, name: string, percent: number): Promise<void> {
  requireLease(await deps.servers.operations.progress(lease, name, percent));
}

async function advance(deps: OperationDeps, lease: OperationLease, point: TransferPoint): Promise<void> {
  requireLease(await deps.servers.transfers.advance(lease, point));
}

function requireLease(server: GameServer | null): void {
  if (!server) throw fail('LEASE_LOST', 'the transfer was cancelled, or another worker has taken over');
}
