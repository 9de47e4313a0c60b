import type { Model } from 'mongoose';
import type { ServerAllocation } from '../../domain/allocations/allocation.js';
import type { NodeName } from '../../domain/nodes/node.js';
import type { GameServer, TransferResult } from '../../domain/servers/server.js';
import { inMs, now, value } from '../expressions.js';
import {
  type Changes,
  type UpdateServer,
  hasPassed,
  type ServerFilter,
  serverOf,
  type TouchServer,
} from './conditional-update.js';
import { endAbandonedPowerOperation } from './power-operations.js';
import { endOperation } from './ended-operations.js';
import { leaseFilter, type OperationLease, problemOf } from './server-operations.js';
import type { ServerDocument } from './server-schema.js';

interface BeginTransfer {
  readonly id: string;
  readonly targetNodeId: string;
  /** Holds the lease while it reserves on the target. */
  readonly owner: string;
  readonly ttlMs: number;
  /** Null: the files are copied. With one a run of a backup on the node that is gone is dropped. */
  readonly backupId: string | null;
  /** The target has the files already. */
  readonly hasFiles: boolean;
}

type TransferFailure = { readonly outcome: 'cancelled' } | { readonly outcome: 'failed'; readonly error: string };

/** One per server and node. */
interface CleanupKey {
  readonly serverId: string;
  readonly nodeId: string;
  readonly copyId: string;
}

/** Conditional updates. The server belongs to the old node until `moved`. Null and false: another caller won. */
export interface TransferStore {
  /** Requires no operation, no power action, no remains on the target. */
  begin(serverId: string, transfer: BeginTransfer): Promise<GameServer | null>;
  /** Then a worker may claim it. */
  reserved(lease: OperationLease, allocationIds: readonly string[]): Promise<GameServer | null>;
  /** Only for more progress than ever. */
  advance(lease: OperationLease, at: TransferPoint): Promise<GameServer | null>;
  /** The wait is no stall. */
  waitForSlot(lease: OperationLease, ms: number): Promise<void>;
  /** Restarts the copy under a new id. */
  copyAnew(lease: OperationLease, copyId: string): Promise<GameServer | null>;
  /** From a node that is unavailable or has not the files, in any state of the game. */
  recovered(lease: OperationLease, to: TransferTarget): Promise<GameServer | null>;
  /** Requires a stopped game. */
  moved(lease: OperationLease, to: TransferTarget): Promise<GameServer | null>;
  /** Without `lease`: any transfer. */
  end(serverId: string, failure: TransferFailure, lease?: OperationLease): Promise<GameServer | null>;
  withPendingCleanups(nodeIds: readonly string[], limit: number): Promise<GameServer[]>;
  /** False: gone or claimed. */
  claimCleanup(cleanup: CleanupKey, ms: number): Promise<boolean>;
  postponeCleanup(cleanup: CleanupKey, ms: number): Promise<boolean>;
  dropCleanup(cleanup: CleanupKey): Promise<void>;
}

export interface TransferTarget {
  readonly nodeName: NodeName;
  /** Primary first. */
  readonly allocations: readonly ServerAllocation[];
}

export interface TransferPoint {
  readonly step: string;
  readonly percent: number;
  readonly doneBytes: number;
}

const pendingCleanups = { $ifNull: ['$pendingCleanups', []] };
const isRecovery = { $ne: [{ $ifNull: ['$operation.transfer.backupId', null] }, null] };
/** The files on the old node stay. */
const leavesFiles = { $or: [isRecovery, { $eq: ['$operation.transfer.hasFiles', true] }] };
const target = {
  kind: { $cond: [isRecovery, 'restored', 'target'] },
  nodeId: '$operation.transfer.targetNodeId',
  copyId: '$operation.transfer.copyId',
  operationId: '$operation.id',
  generation: '$power.generation',
  retryAt: now,
};
const source = {
  kind: { $cond: [leavesFiles, 'lost', 'source'] },
  nodeId: '$nodeId',
  copyId: '$operation.transfer.copyId',
  operationId: '$operation.id',
  generation: '$power.generation',
  retryAt: now,
};

/** The cleanups after another operation has replaced a transfer. */
export const withTargetCleanup = {
  $concatArrays: [pendingCleanups, { $cond: [{ $eq: ['$operation.kind', 'transferring'] }, [target], []] }],
};

function result(outcome: TransferResult['outcome'], error: string | null) {
  return {
    outcome,
    sourceNodeId: '$nodeId',
    targetNodeId: '$operation.transfer.targetNodeId',
    error: value(error),
    at: now,
  };
}

function arrival({ nodeName, allocations }: TransferTarget): Changes {
  return {
    nodeId: '$operation.transfer.targetNodeId',
    nodeName: value(nodeName.name),
    nodeNameRevision: nodeName.revision,
    allocations: value(allocations),
    allocationId: { $first: '$operation.transfer.allocationIds' },
    pendingCleanups: { $concatArrays: [pendingCleanups, [source]] },
    lastTransfer: result('completed', null),
    ...endOperation('completed'),
    'power.lease': null,
    'crash.restartAt': null,
  };
}

export function createTransferStore(
  model: Model<ServerDocument>,
  change: UpdateServer,
  touch: TouchServer,
  clock: () => Date,
): TransferStore {
  const isThis = ({ nodeId, copyId }: CleanupKey, item: string) => ({
    $and: [{ $eq: [`${item}.nodeId`, value(nodeId)] }, { $eq: [`${item}.copyId`, value(copyId)] }],
  });
  const retryIn = (key: CleanupKey, ms: number) => ({
    pendingCleanups: {
      $map: {
        input: pendingCleanups,
        in: { $cond: [isThis(key, '$$this'), { $mergeObjects: ['$$this', { retryAt: inMs(ms) }] }, '$$this'] },
      },
    },
  });
  const isDue = (item: string) => ({ $lt: [`${item}.retryAt`, now] });
  return {
    begin: (serverId, { id, targetNodeId, owner, ttlMs, backupId, hasFiles }) =>
      change(
        {
          _id: serverId,
          operation: null,
          ...(backupId === null ? { backup: null } : {}),
          nodeId: { $ne: targetNodeId },
          'pendingCleanups.nodeId': { $ne: targetNodeId },
          ...hasPassed('power.lease.expiresAt'),
        },
        {
          backup: null,
          operation: {
            id: value(id),
            kind: 'transferring',
            step: 'reserve',
            progress: 0,
            startedAt: now,
            leaseOwner: value(owner),
            leaseExpiresAt: inMs(ttlMs),
            fence: 1,
            waits: 0,
            options: value({ skipScripts: false, startOnCompletion: false, force: false }),
            transfer: {
              targetNodeId: value(targetNodeId),
              allocationIds: [],
              copyId: value(id),
              copies: 1,
              doneBytes: 0,
              movedAt: now,
              backupId: value(backupId),
              hasFiles,
            },
          },
        },
      ),
    reserved: (lease, allocationIds) =>
      change(leaseFilter(lease), {
        'operation.transfer.allocationIds': value([...allocationIds]),
        'operation.step': 'waiting',
        'operation.leaseOwner': null,
        'operation.leaseExpiresAt': null,
      }),
    advance: (lease, { step, percent, doneBytes }) =>
      change(leaseFilter(lease), {
        'operation.step': value(step),
        'operation.progress': percent,
        'operation.problem': problemOf(step),
        'operation.transfer.doneBytes': { $max: ['$operation.transfer.doneBytes', doneBytes] },
        'operation.transfer.movedAt': now,
      }),
    waitForSlot: async (lease, ms) =>
      void (await touch(leaseFilter(lease), {
        'operation.leaseOwner': null,
        'operation.leaseExpiresAt': inMs(ms),
        'operation.transfer.movedAt': now,
      })),
    copyAnew: (lease, copyId) =>
      change(leaseFilter(lease), {
        'operation.transfer.copyId': value(copyId),
        'operation.transfer.copies': { $add: ['$operation.transfer.copies', 1] },
        'operation.transfer.doneBytes': 0,
      }),
    recovered: (lease, to) =>
      change(
        { ...leaseFilter(lease), 'operation.kind': 'transferring' },
        {
          ...arrival(to),
          ...endAbandonedPowerOperation('offline'),
          'power.state': 'offline',
          'power.changedAt': now,
        },
      ),
    moved: (lease, to) =>
      change(
        {
          ...leaseFilter(lease),
          'operation.kind': 'transferring',
          'power.state': 'offline',
          ...hasPassed('power.lease.expiresAt'),
        },
        arrival(to),
      ),
    end: (serverId, failure, lease) =>
      change(
        { _id: serverId, ...(lease ? leaseFilter(lease) : {}), 'operation.kind': 'transferring' },
        {
          pendingCleanups: withTargetCleanup,
          lastTransfer: result(failure.outcome, failure.outcome === 'failed' ? failure.error : null),
          ...endOperation(failure.outcome, failure.outcome === 'failed' ? failure.error : null),
        },
      ),
    withPendingCleanups: async (nodeIds, limit) => {
      const filter: ServerFilter = {
        nodeId: { $in: [...nodeIds] },
        'pendingCleanups.retryAt': { $type: 'date' },
        $expr: { $anyElementTrue: { $map: { input: '$pendingCleanups', in: isDue('$$this') } } },
        // A deletion removes them itself.
        'operation.kind': { $ne: 'deleting' },
      };
      const found = await model.find(filter).limit(limit).lean();
      return found.map((document) => serverOf(document, clock()));
    },
    claimCleanup: (key, ms) =>
      touch(
        {
          _id: key.serverId,
          'pendingCleanups.copyId': key.copyId,
          $expr: {
            $anyElementTrue: {
              $map: { input: '$pendingCleanups', in: { $and: [isThis(key, '$$this'), isDue('$$this')] } },
            },
          },
        },
        retryIn(key, ms),
      ),
    postponeCleanup: (key, ms) => touch({ _id: key.serverId, 'pendingCleanups.copyId': key.copyId }, retryIn(key, ms)),
    dropCleanup: async (key) =>
      void (await touch(
        { _id: key.serverId, 'pendingCleanups.copyId': key.copyId },
        { pendingCleanups: { $filter: { input: pendingCleanups, cond: { $not: [isThis(key, '$$this')] } } } },
      )),
  };
}
