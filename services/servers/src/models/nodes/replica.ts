import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id } from '@panel/kit/records';
import { inMs, now } from '../expressions.js';

/** One document per running replica: not sharded. */
const replicaSchema = documentSchema({ id, expiresAt: date });

export interface ReplicaStore {
  /** Resolves with the number of live replicas. */
  heartbeat(owner: string, ttlMs: number): Promise<number>;
  leave(owner: string): Promise<void>;
}

export function createReplicaStore(connection: MongoConnection): ReplicaStore {
  const model = defineModel(connection, 'Replica', replicaSchema, 'replicas');
  return {
    heartbeat: async (owner, ttlMs) => {
      const update = [{ $set: { expiresAt: inMs(ttlMs) } }];
      await model.updateOne({ _id: owner }, update, { upsert: true, updatePipeline: true });
      await model.deleteMany({ $expr: { $lt: ['$expiresAt', { $subtract: [now, ttlMs * 10] }] } });
      return model.countDocuments({ $expr: { $gte: ['$expiresAt', now] } });
    },
    leave: async (owner) => void (await model.deleteOne({ _id: owner })),
  };
}
