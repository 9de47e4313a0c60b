import type { Model } from 'mongoose';
import type { GameServer, Restore } from '../../domain/servers/server.js';
import { inMs, now, value } from '../expressions.js';
import { type DueWork, dueByOwner } from './due-work.js';
import { hasPassed, type ServerFilter, type TouchServer, type UpdateServer } from './conditional-update.js';
import type { ServerDocument } from './server-schema.js';
import { started } from './server-updates.js';

/** Writes with an older fence have no effect. */
export interface BackupLease {
  readonly serverId: string;
  readonly backupId: string;
  readonly fence: number;
}

/** In the server's document: one current and a queue. Null and false: another caller won. */
export interface BackupRunStore {
  /** False: suspended, during an operation, or after `perMinute` starts in a minute. */
  countStart(serverId: string, perMinute: number): Promise<boolean>;
  /** Under the same conditions. */
  enqueue(serverId: string, backupId: string): Promise<GameServer | null>;
  /** Without a worker. */
  waiting(nodeIds: readonly string[], limit: number): Promise<DueWork[]>;
  claim(serverId: string, owner: string, ttlMs: number): Promise<GameServer | null>;
  renew(lease: BackupLease, ttlMs: number): Promise<boolean>;
  /** For another worker, at once or after `ms`. */
  release(lease: BackupLease, ms?: number): Promise<void>;
  progress(lease: BackupLease, step: string, percent: number): Promise<GameServer | null>;
  finish(lease: BackupLease): Promise<GameServer | null>;
  /** Requires offline, without operation and backup. */
  beginRestore(serverId: string, operationId: string, restore: Restore): Promise<GameServer | null>;
}

const minuteMs = 60_000;
const current = { $ifNull: ['$backup', null] };
const queue = { $ifNull: ['$backupQueue', []] };
const recentStarts = {
  $filter: { input: { $ifNull: ['$backupStarts', []] }, cond: { $gt: ['$$this', inMs(-minuteMs)] } },
};

function runOf(id: unknown) {
  return { id, step: 'waiting', progress: 0, startedAt: now, leaseOwner: null, leaseExpiresAt: null, fence: 0 };
}

function leaseFilter({ serverId, backupId, fence }: BackupLease): ServerFilter {
  return { _id: serverId, 'backup.id': backupId, 'backup.fence': fence };
}

export function createBackupRunStore(
  model: Model<ServerDocument>,
  change: UpdateServer,
  touch: TouchServer,
): BackupRunStore {
  const isOpen = (serverId: string): ServerFilter => ({ _id: serverId, operation: null, suspended: false });
  return {
    countStart: (serverId, perMinute) =>
      touch(
        { ...isOpen(serverId), $expr: { $lt: [{ $size: recentStarts }, perMinute] } },
        { backupStarts: { $concatArrays: [recentStarts, [now]] } },
      ),
    enqueue: (serverId, backupId) => {
      const isIdle = { $eq: [current, null] };
      return change(isOpen(serverId), {
        backup: { $cond: [isIdle, runOf(value(backupId)), '$backup'] },
        backupQueue: { $cond: [isIdle, queue, { $concatArrays: [queue, [value(backupId)]] }] },
      });
    },
    waiting: async (nodeIds, limit) => {
      const filter: ServerFilter = {
        'backup.id': { $type: 'string' },
        nodeId: { $in: [...nodeIds] },
        operation: null,
        ...hasPassed('backup.leaseExpiresAt'),
      };
      return dueByOwner(model, filter, { leaseField: 'backup.leaseExpiresAt', limit });
    },
    claim: (serverId, owner, ttlMs) =>
      change(
        {
          _id: serverId,
          'backup.id': { $type: 'string' },
          operation: null,
          ...hasPassed('backup.leaseExpiresAt'),
        },
        {
          'backup.leaseOwner': value(owner),
          'backup.leaseExpiresAt': inMs(ttlMs),
          'backup.fence': { $add: ['$backup.fence', 1] },
        },
      ),
    renew: (lease, ttlMs) => touch(leaseFilter(lease), { 'backup.leaseExpiresAt': inMs(ttlMs) }),
    release: async (lease, ms) =>
      void (await touch(leaseFilter(lease), {
        'backup.leaseOwner': null,
        'backup.leaseExpiresAt': ms === undefined ? null : inMs(ms),
      })),
    progress: (lease, step, percent) =>
      change(leaseFilter(lease), { 'backup.step': value(step), 'backup.progress': percent }),
    finish: (lease) =>
      change(leaseFilter(lease), {
        backup: { $cond: [{ $gt: [{ $size: queue }, 0] }, runOf({ $arrayElemAt: [queue, 0] }), null] },
        backupQueue: { $cond: [{ $gt: [{ $size: queue }, 1] }, { $slice: [queue, 1, { $size: queue }] }, []] },
      }),
    beginRestore: (serverId, operationId, restore) =>
      change(
        {
          ...isOpen(serverId),
          backup: null,
          'power.state': 'offline',
          'power.desired': 'offline',
          ...hasPassed('power.lease.expiresAt'),
        },
        {
          operation: {
            ...started({ id: operationId, kind: 'restoring', step: 'waiting', options: {} }),
            restore: value({ ...restore, paths: [...restore.paths], databases: [...restore.databases] }),
          },
          'crash.restartAt': null,
        },
      ),
  };
}
