import { defineModel, documentSchema, duplicateIndex, type MongoConnection } from '@panel/kit/mongo';
import { date, id, type RecordOf } from '@panel/kit/records';
import { inMs, now, value } from '../expressions.js';

const leaseFields = { owner: id, address: id };
interface NodeLease extends RecordOf<typeof leaseFields> {
  readonly nodeId: string;
}

/** One document per node: not sharded. */
const leaseSchema = documentSchema({ id, ...leaseFields, expiresAt: date });

export interface LeaseStore {
  /** Acquires or renews; false while a replica at another address has it. */
  acquire(lease: NodeLease, ttlMs: number): Promise<boolean>;
  holder(nodeId: string): Promise<NodeLease | null>;
  release(nodeId: string, owner: string): Promise<void>;
}

export function createLeaseStore(connection: MongoConnection): LeaseStore {
  const model = defineModel(connection, 'NodeLease', leaseSchema, 'node_leases');
  return {
    acquire: async ({ nodeId, owner, address }, ttlMs) => {
      // One write: an upsert's filter cannot use the database's clock. A lease of this address with another owner is
      // this replica's before its restart.
      const isOurs = [{ $eq: ['$owner', value(owner)] }, { $eq: ['$address', value(address)] }];
      const isFree = { $or: [...isOurs, { $lt: ['$expiresAt', now] }] };
      const ifFree = (mine: unknown, path: string) => ({ $cond: [isFree, mine, path] });
      const update = [
        {
          $set: {
            owner: ifFree(value(owner), '$owner'),
            address: ifFree(value(address), '$address'),
            expiresAt: ifFree(inMs(ttlMs), '$expiresAt'),
          },
        },
      ];
      const options = { upsert: true, updatePipeline: true, returnDocument: 'after' } as const;
      try {
        const after = await model.findOneAndUpdate({ _id: nodeId }, update as never, options).lean();
        return after.owner === owner;
      } catch (error) {
        // The loser of concurrent inserts gives way.
        if (duplicateIndex(error) === '_id_') return false;
        throw error;
      }
    },
    holder: async (nodeId) => {
      const found = await model.findOne({ _id: nodeId, $expr: { $gt: ['$expiresAt', now] } }).lean();
      return found && { nodeId, owner: found.owner, address: found.address };
    },
    release: async (nodeId, owner) => void (await model.deleteOne({ _id: nodeId, owner })),
  };
}
