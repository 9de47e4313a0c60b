import {
  createRecordMapper,
  defineModel,
  type DocumentOf,
  documentSchema,
  duplicateIndex,
  maxQueryMs,
  type MongoConnection,
} from '@panel/kit/mongo';
import type { QueryFilter } from 'mongoose';
import { type Backup, backupFields, type BackupState, type Retention } from '../domain/backup.js';

/** Sharding: by serverId, in all queries but a node's sweep. */
const backupSchema = documentSchema(backupFields);
type BackupDocument = DocumentOf<typeof backupSchema>;
backupSchema.index(
  { serverId: 1, slot: 1 },
  { name: 'backup_slot', unique: true, partialFilterExpression: { slot: { $type: 'number' } } },
);
backupSchema.index({ serverId: 1, createdAt: -1 }, { name: 'backup_server' });
backupSchema.index({ nodeIds: 1, state: 1 }, { name: 'backup_node' });
backupSchema.index(
  { replacedBy: 1 },
  { name: 'backup_replaced', partialFilterExpression: { replacedBy: { $type: 'string' } } },
);

backupSchema.index(
  { 'retention.at': -1 },
  { name: 'backup_retention', partialFilterExpression: { 'retention.at': { $type: 'date' } } },
);

type BackupOutcome = Pick<Backup, 'sizeBytes' | 'contentBytes' | 'entries' | 'checksum' | 'ignoredFiles'> & {
  readonly completedAt: Date;
};

interface BackupTotals {
  readonly state: BackupState;
  readonly count: number;
  readonly bytes: number;
}

const maxListed = 1_000;
const maxSwept = 1_000;

const { toRecord: toBackup } = createRecordMapper<Backup>();

/** Null, false: not permitted in the record's state. */
export interface BackupStore {
  /** False for a taken slot. Throws for an existing id. */
  insert(backup: Backup): Promise<boolean>;
  find(serverId: string, id: string): Promise<Backup | null>;
  findById(id: string): Promise<Backup | null>;
  /** Newest first, at most 1,000; without deleting ones. */
  list(serverId: string): Promise<Backup[]>;
  /** Includes deleting ones. */
  listAll(serverId: string): Promise<Backup[]>;
  /** Of counted backups; null: kept without a slot. */
  takenSlots(serverId: string): Promise<(number | null)[]>;
  confirm(serverId: string, id: string): Promise<Backup | null>;
  complete(id: string, outcome: BackupOutcome): Promise<boolean>;
  warn(id: string, warning: string): Promise<void>;
  /** Frees its slot and its lock. */
  fail(id: string, reason: string, message: string): Promise<boolean>;
  /** Not of a failed one; null toggles. */
  setLock(serverId: string, id: string, isLocked: boolean | null): Promise<Backup | null>;
  /** Only unlocked; returns the earlier record. `sweeperId`: a node that finishes it. */
  beginDelete(serverId: string, id: string, sweeperId: string | null): Promise<Backup | null>;
  remove(id: string): Promise<void>;
  /** The oldest completed, unlocked one gives its slot to `byId`; null without one. */
  beginReplace(serverId: string, byId: string): Promise<Backup | null>;
  /** After a failed replacement; takes the slot if free. */
  undoReplace(id: string, slot: number | null): Promise<void>;
  listReplacedBy(byId: string): Promise<Backup[]>;
  /** Unlocked and outside the limit. */
  retain(id: string, retention: Retention): Promise<void>;
  /** Last deleted server first, at most 1,000. */
  listRetained(): Promise<Backup[]>;
  /** Of servers deleted before a time, on a node or in one of the buckets and repositories. */
  listRetainedBefore(nodeId: string, destinations: readonly string[], before: Date): Promise<Backup[]>;
  setRestored(id: string, at: Date, error: string): Promise<void>;
  addNode(id: string, nodeId: string): Promise<void>;
  /** Returns the remaining nodes; null without a record. */
  removeNode(id: string, nodeId: string): Promise<readonly string[] | null>;
  /** Unconfirmed in time, deleting, or awaiting replacement. */
  listUnfinished(nodeId: string, now: Date): Promise<Backup[]>;
  totals(nodeId: string): Promise<BackupTotals[]>;
  /** By server. */
  newestCompleted(nodeId: string): Promise<Map<string, Date>>;
}

export function createBackupStore(connection: MongoConnection): BackupStore {
  const model = defineModel(connection, 'Backup', backupSchema, 'backups');
  const read = async (filter: QueryFilter<BackupDocument>, limit: number) => {
    const found = await model.find(filter).sort({ createdAt: -1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
    return found.map(toBackup);
  };
  const updateOne = async (filter: QueryFilter<BackupDocument>, change: object) => {
    const after = await model.findOneAndUpdate(filter, change, { returnDocument: 'after' }).lean();
    return after && toBackup(after);
  };
  return {
    insert: async ({ id, ...backup }) => {
      try {
        await model.create({ _id: id, ...backup });
        return true;
      } catch (error) {
        if (duplicateIndex(error) !== 'backup_slot') throw error;
        return false;
      }
    },
    find: async (serverId, id) => {
      const found = await model.findOne({ _id: id, serverId }).maxTimeMS(maxQueryMs).lean();
      return found && toBackup(found);
    },
    findById: async (id) => {
      const found = await model.findById(id).maxTimeMS(maxQueryMs).lean();
      return found && toBackup(found);
    },
    list: async (serverId) => read({ serverId, state: { $ne: 'deleting' } }, maxListed),
    listAll: async (serverId) => read({ serverId }, maxListed),
    takenSlots: async (serverId) => {
      const filter: QueryFilter<BackupDocument> = {
        serverId,
        $or: [{ slot: { $gte: 0 } }, { state: 'completed', slot: null, replacedBy: null, retention: null }],
      };
      const found = await model.find(filter, { slot: 1 }).maxTimeMS(maxQueryMs).lean();
      return found.map(({ slot }) => slot);
    },
    confirm: async (serverId, id) => updateOne({ _id: id, serverId }, { $set: { confirmBy: null } }),
    complete: async (id, { ignoredFiles, ...outcome }) => {
      const change = { ...outcome, ignoredFiles: [...ignoredFiles], state: 'completed', confirmBy: null } as const;
      return (await model.updateOne({ _id: id, state: 'pending' }, { $set: change })).modifiedCount === 1;
    },
    fail: async (id, errorReason, errorMessage) => {
      const change = {
        state: 'failed',
        slot: null,
        isLocked: false,
        errorReason,
        errorMessage,
        confirmBy: null,
      } as const;
      return (await model.updateOne({ _id: id, state: 'pending' }, { $set: change })).modifiedCount === 1;
    },
    setLock: async (serverId, id, isLocked) => {
      const filter: QueryFilter<BackupDocument> = { _id: id, serverId, state: { $in: ['pending', 'completed'] } };
      if (isLocked !== null) return updateOne(filter, { $set: { isLocked } });
      const turned = [{ $set: { isLocked: { $not: ['$isLocked'] } } }];
      const options = { returnDocument: 'after', updatePipeline: true } as const;
      const after = await model.findOneAndUpdate(filter, turned as never, options).lean();
      return after && toBackup(after);
    },
    beginDelete: async (serverId, id, sweeperId) => {
      const sweeper = sweeperId === null ? {} : { $addToSet: { nodeIds: sweeperId } };
      const before = await model
        .findOneAndUpdate(
          { _id: id, serverId, isLocked: false },
          { $set: { state: 'deleting', slot: null }, ...sweeper },
        )
        .lean();
      return before && toBackup(before);
    },
    remove: async (id) => void (await model.deleteOne({ _id: id })),
    beginReplace: async (serverId, byId) => {
      const filter: QueryFilter<BackupDocument> = {
        serverId,
        state: 'completed',
        isLocked: false,
        slot: { $gte: 0 },
      };
      const before = await model
        .findOneAndUpdate(filter, { $set: { slot: null, replacedBy: byId } }, { sort: { createdAt: 1 } })
        .lean();
      return before && toBackup(before);
    },
    undoReplace: async (id, slot) => {
      try {
        await model.updateOne({ _id: id, state: 'completed' }, { $set: { replacedBy: null, slot } });
      } catch (error) {
        if (duplicateIndex(error) !== 'backup_slot') throw error;
        // a surplus backup is better than a lost one
        await model.updateOne({ _id: id, state: 'completed' }, { $set: { replacedBy: null } });
      }
    },
    listReplacedBy: async (replacedBy) => read({ replacedBy }, maxSwept),
    retain: async (id, retention) => {
      const change = { retention, slot: null, isLocked: false, replacedBy: null };
      await model.updateOne({ _id: id, state: 'completed', retention: null }, { $set: change });
    },
    listRetained: async () => {
      const query = model.find({ 'retention.at': { $type: 'date' }, state: 'completed' }).sort({ 'retention.at': -1 });
      return (await query.limit(maxListed).maxTimeMS(maxQueryMs).lean()).map(toBackup);
    },
    listRetainedBefore: async (nodeIds, destinations, before) => {
      const isInReach = [{ nodeIds }, { destination: { $in: [...destinations] } }];
      return read({ 'retention.at': { $lt: before }, state: 'completed', $or: isInReach }, maxSwept);
    },
    warn: async (id, warning) => void (await model.updateOne({ _id: id }, { $set: { warning } })),
    setRestored: async (id, restoredAt, restoreError) =>
      void (await model.updateOne({ _id: id }, { $set: { restoredAt, restoreError } })),
    addNode: async (id, nodeId) => void (await model.updateOne({ _id: id }, { $addToSet: { nodeIds: nodeId } })),
    removeNode: async (id, nodeId) => (await updateOne({ _id: id }, { $pull: { nodeIds: nodeId } }))?.nodeIds ?? null,
    listUnfinished: async (nodeIds, now) =>
      read(
        {
          nodeIds,
          $or: [
            { state: 'pending', confirmBy: { $lt: now } },
            { state: 'deleting' },
            { state: 'completed', replacedBy: { $type: 'string' } },
          ],
        },
        maxSwept,
      ),
    totals: async (nodeIds) => {
      const groups = await model.aggregate<{ _id: BackupState; count: number; bytes: number }>([
        { $match: { nodeIds } },
        { $group: { _id: '$state', count: { $sum: 1 }, bytes: { $sum: '$sizeBytes' } } },
      ]);
      return groups.map(({ _id, ...totals }) => ({ state: _id, ...totals }));
    },
    newestCompleted: async (nodeIds) => {
      const groups = await model.aggregate<{ _id: string; at: Date }>([
        { $match: { nodeIds, state: 'completed', retention: null } },
        { $group: { _id: '$serverId', at: { $max: '$completedAt' } } },
      ]);
      return new Map(groups.map(({ _id, at }) => [_id, at]));
    },
  };
}
