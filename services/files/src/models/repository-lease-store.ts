import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';

/** Which node writes to the backup repository of a server. */
interface LeaseDocument {
  readonly _id: string;
  readonly nodeId: string;
  readonly expiresAt: Date;
}

const required = { required: true } as const;

/** One document a server while it is leased. Sharding: by _id, the server. */
const leaseSchema = new Schema<LeaseDocument>(
  {
    _id: { type: String, ...required },
    nodeId: { type: String, ...required },
    expiresAt: { type: Date, ...required },
  },
  schemaOptions,
);

export interface RepositoryLeaseStore {
  /** Take or renew the lease for a node, by the clock of the database; false while another node has it. */
  acquire(serverId: string, nodeId: string, ttlMs: number): Promise<boolean>;
  release(serverId: string, nodeId: string): Promise<void>;
}

export function createRepositoryLeaseStore(connection: MongoConnection): RepositoryLeaseStore {
  const model = defineModel(connection, 'RepositoryLease', leaseSchema, 'repository_leases');
  return {
    acquire: async (serverId, nodeId, ttlMs) => {
      // One write whether it is there or not; an upsert may not compare with the clock in its filter.
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
        // Another node was faster.
        if (duplicateIndex(error) === '_id_') return false;
        throw error;
      }
    },
    release: async (serverId, nodeId) => {
      await model.deleteOne({ _id: serverId, nodeId });
    },
  };
}
