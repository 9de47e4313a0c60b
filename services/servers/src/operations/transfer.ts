import { randomUUID } from 'node:crypto';
import { isAppError, isUnavailable } from '@panel/kit/errors';
import { type ReceiveVolumeResponse, ReceiveVolumeResponse_Phase } from '@panel/protos/files';
import { attachedAllocation } from '../domain/allocations/allocation.js';
import { type GameNode, isSameEngine } from '../domain/nodes/node.js';
import { filesMissingError } from '../domain/nodes/node-report.js';
import type { GameServer, Transfer } from '../domain/servers/server.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { TransferPoint, TransferTarget } from '../models/servers/server-transfers.js';
import { describeFailure } from '../domain/servers/describe-failure.js';
import { fail } from '../reasons.js';
import { copyNodeName } from '../nodes/copy-node-name.js';
import { holdDiskLimit } from '../nodes/hold-disk-limits.js';
import type { Lease } from '@panel/kit/lease';
import { acquireFreeze, confirmFreeze, thaw } from './freeze-lease.js';
import { type OperationDeps, requireCurrent } from './operation.js';
import { heard } from './heard.js';
import { moveBackups } from './move-backups.js';
import { recoverFiles } from './recover-files.js';
import { acquireTransferSlot } from './transfer-slot.js';

/** More copies: the files change too much. */
const maxCopies = 3;
const writeEveryMs = 1_000;
/** Exceeds any copy. */
const allBytes = Number.MAX_SAFE_INTEGER;
/** More claims: it kills its workers. */
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
 * Moves a server in repeatable steps: wait for a slot, stop, freeze, copy, verify, and one write to the target.
 * Transient failures are retried until `transferTimeoutMs` without progress; others end the transfer, and the server
 * stays. Throws LEASE_LOST after a cancellation or another worker's claim.
 */
export async function runTransfer(
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

/** Confirms the reservations and loads both nodes. */
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
  const retained = await deps.allocations.confirm(server.id, transfer.allocationIds);
  if (!hasCapacity || retained < transfer.allocationIds.length) {
    throw fail('RESERVATION_LOST', 'the place on the node was given away meanwhile');
  }
  return { server, transfer, lease, source, target, signal };
}

/** Few per node; the game runs during the wait. Shared files need no slot. */
async function withSlot(deps: OperationDeps, job: Job): Promise<void> {
  const { server, source, target, lease } = job;
  if (deps.files.isShared(source, target)) return move(deps, job);
  const hasStarted = server.operation?.step !== 'waiting';
  const isCopy = !job.transfer.backupId && !job.transfer.hasFiles;
  const busy = isCopy ? [source.id, target.id] : [target.id];
  const slot = await acquireTransferSlot(deps, server.id, busy, hasStarted);
  if (!slot) return deps.servers.transfers.waitForSlot(lease, slotRetryMs);
  try {
    await move(deps, job);
  } finally {
    await slot.stop();
    const now = await deps.servers.get(server.id);
    const isOver = now?.operation?.id !== lease.operationId;
    if (isOver) await slot.release();
    // The cancelling request may have thawed the files just before this freeze.
    if (isOver && isCopy && now?.nodeId === source.id) await thaw(deps, source, lease);
  }
}

async function move(deps: OperationDeps, job: Job): Promise<void> {
  const { server, source, target, lease, transfer } = job;
  if (transfer.backupId) return recover(deps, job, transfer.backupId);
  if (transfer.hasFiles) return takeFiles(deps, job);
  if (server.operation?.step === 'waiting') {
    // The wait does not count as its time.
    await advance(deps, lease, { step: 'backups', percent: 0, doneBytes: 0 });
    deps.hub.console(server.id).notice(`the server is moving to the node ${target.name}`);
  }
  const isShared = deps.files.isShared(source, target);
  // Before the stop: an operation blocks new and deleted backups.
  if (!isShared) await moveBackups(deps, job);
  deps.failpoint('transfer.backups_moved');
  requireCurrent(deps, source.id);
  await stop(deps, job);
  deps.failpoint('transfer.stopped');
  if (isShared) return switchNodes(deps, job);
  const freeze = await acquireFreeze(deps, source, lease);
  try {
    deps.failpoint('transfer.frozen');
    // A failed installation may have nothing to copy. Other files must exist: an unmounted disk would move as empty.
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

/** The node is gone: nothing is asked of it but what its engine may still answer. */
async function recover(deps: OperationDeps, job: Job, backupId: string): Promise<void> {
  const { server, target, lease } = job;
  if (server.operation?.step === 'waiting') {
    await advance(deps, lease, { step: 'restore', percent: 0, doneBytes: 0 });
    deps.hub.console(server.id).notice(`the server is moving to the node ${target.name}, with the files of a backup`);
  }
  await recoverFiles(deps, job, backupId);
  await stopIfReachable(deps, job);
  await leave(deps, job);
}

/** The target has had the files all along; what runs there runs on. */
async function takeFiles(deps: OperationDeps, job: Job): Promise<void> {
  const { server, source, target, lease } = job;
  if (server.operation?.step === 'waiting') {
    await advance(deps, lease, { step: 'verify', percent: 1, doneBytes: 0 });
    deps.hub.console(server.id).notice(`the server becomes one of the node ${target.name}, which has its files`);
  }
  if (!(await deps.files.hasVolume(target, server.id))) throw filesMissingError(target);
  if (!isSameEngine(source, target)) await stopIfReachable(deps, job);
  await leave(deps, job);
}

async function stopIfReachable(deps: OperationDeps, job: Job): Promise<void> {
  await stop(deps, job).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error;
  });
}

/** Leaves the files of the source behind. */
async function leave(deps: OperationDeps, job: Job): Promise<void> {
  const { server, target, lease, transfer } = job;
  await step(deps, lease, 'switch', 97);
  deps.failpoint('recover.switch');
  const console = deps.hub.find(server.id);
  requireLease(await deps.servers.transfers.recovered(lease, await placeOn(deps, server, target, transfer)));
  deps.failpoint('recover.switched');
  await arrived(deps, job, console);
}

async function stop(deps: OperationDeps, { server, lease, source }: Job): Promise<void> {
  const runtime = deps.runtimes.of(source);
  const isRunning = (await runtime.inspect(server.id))?.state === 'running';
  if (server.power.state === 'offline' && !isRunning) return;
  await step(deps, lease, 'stop', 2);
  deps.failpoint('transfer.stop');
  await deps.power.forceStop(server, deps.power.graceMsOf(server), { kind: 'operation', lease });
}

/** Digest of the target's disk. */
async function copy(deps: OperationDeps, job: Job): Promise<string> {
  const { server, lease, transfer, signal } = job;
  await step(deps, lease, 'copy', percentOf(0, 0));
  deps.failpoint('transfer.copy');
  const written = { at: -Infinity, doneBytes: transfer.doneBytes, movedAt: performance.now() };
  const receive = (within: AbortSignal) => deps.files.receive(job, server.id, transfer.copyId, within);
  try {
    for await (const message of heard(receive, signal)) {
      if (message.end) return message.end.value.treeSha256;
      await report(deps, job, message, written);
    }
  } catch (error) {
    if (!isAppError(error, 'TRANSFER_DISCARDED')) throw error;
    await copyAnew(deps, job);
    throw fail('FILES_CHANGED', 'the copy has to start again', {}, { cause: error });
  }
  throw fail('TARGET_TIMEOUT', 'the files service of the node ended before the copy was done');
}

/** Once a second. Rereading copied data is no progress. */
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

/** Copy and verification on the target: 5 to 85 percent. */
function percentOf(done: number, total: number): number {
  return total === 0 ? 5 : 5 + Math.floor((80 * Math.min(done, total)) / total);
}

/** The source must equal the target: a late write may have reached it. */
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

/** Discards a stale copy; the retry starts another. Throws TRANSFER_UNSTABLE. */
async function copyAnew(deps: OperationDeps, { server, transfer, target, lease }: Job): Promise<void> {
  if (transfer.copies >= maxCopies) throw fail('TRANSFER_UNSTABLE', 'the files keep changing while they are copied');
  await deps.files.discard(target, server.id, transfer.copyId);
  requireLease(await deps.servers.transfers.copyAnew(lease, randomUUID()));
}

async function switchNodes(deps: OperationDeps, job: Job, freeze?: Lease): Promise<void> {
  const { server, source, target, transfer, lease } = job;
  await step(deps, lease, 'switch', 97);
  // A game started on the engine would lose its files.
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
  await arrived(deps, job, console);
}

async function arrived(
  deps: OperationDeps,
  { server, source, target, lease }: Job,
  console: ReturnType<OperationDeps['hub']['find']>,
): Promise<void> {
  await copyNodeName(deps, target.id, server.id);
  await holdDiskLimit(deps, target, server);
  const properties = { node_id: target.id };
  await deps.activity.record({ event: 'server:transfer.completed', serverId: server.id, properties }, null);
  console?.notice(`the server has moved to the node ${target.name}`);
  deps.log.info({ ...lease, from: source.id, to: target.id }, 'a server has moved');
  // Watchers move to the new node's replica; here they would see the old node.
  if (!deps.isOwned(target.id)) deps.hub.close([server.id]);
}

/** Throws RESERVATION_LOST. */
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

/** Schedules a retry, or ends the transfer. */
async function failed(
  deps: OperationDeps,
  server: GameServer,
  lease: OperationLease,
  { error, startedAt }: { readonly error: unknown; readonly startedAt: number },
): Promise<void> {
  const movedAt = (await deps.servers.get(server.id))?.operation?.transfer?.movedAt ?? server.updatedAt;
  // Without this attempt's time: a large comparison takes long.
  const stuckMs = Math.max(0, startedAt - movedAt.getTime());
  const isStuck = stuckMs >= deps.settings.transferTimeoutMs;
  const isRetryable = !isAppError(error) || retryableKinds.has(error.kind);
  if (isRetryable && !isStuck) {
    deps.log.warn({ err: error, ...lease }, 'a transfer has to wait');
    await deps.servers.operations.setProblem(lease, describe(error));
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

/** Transient kinds. */
const retryableKinds: ReadonlySet<string> = new Set([
  'unavailable',
  'deadline_exceeded',
  'aborted',
  'cancelled',
  'internal',
]);

function describe(error: unknown): string {
  if (!isAppError(error) || error.kind === 'internal') return 'an unexpected error';
  return `${describeFailure(error)} (${error.reason.toLowerCase()})`;
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
