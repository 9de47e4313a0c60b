import { defineModel, documentSchema, duplicateIndex, maxQueryMs, type MongoConnection } from '@panel/kit/mongo';
import { date, id } from '@panel/kit/records';

/** Sharding: by _id, the server. */
const leaseSchema = documentSchema({ id, nodeId: id, expiresAt: date });

export interface RepositoryLeaseStore {
  /** Takes or renews it by the database clock; false: another node holds it. */
  acquire(serverId: string, nodeId: string, ttlMs: number): Promise<boolean>;
  release(serverId: string, nodeId: string): Promise<void>;
}

export function createRepositoryLeaseStore(connection: MongoConnection): RepositoryLeaseStore {
  const model = defineModel(connection, 'RepositoryLease', leaseSchema, 'repository_leases');
  return {
    acquire: async (serverId, nodeId, ttlMs) => {
      // one write in both cases; an upsert's filter cannot use the clock
      const mine = { $literal: nodeId };
      const isFree = { $or: [{ $eq: ['$nodeId', mine] }, { $lt: ['$expiresAt', '$$NOW'] }] };
      const set = {
        nodeId: { $cond: [isFree, mine, '$nodeId'] },
        expiresAt: { $cond: [isFree, { $add: ['$$NOW', ttlMs] }, '$expiresAt'] },
      };
      const options = { upsert: true, updatePipeline: true, returnDocument: 'after' } as const;
      try {
        const after = await model
          .findOneAndUpdate({ _id: serverId }, [{ $set: set }] as never, options)
          .maxTimeMS(maxQueryMs)
          .lean();
        return after.nodeId === nodeId;
      } catch (error) {
        // another node won
        if (duplicateIndex(error) === '_id_') return false;
        throw error;
      }
    },
    release: async (serverId, nodeId) => {
      await model.deleteOne({ _id: serverId, nodeId });
    },
  };
}
