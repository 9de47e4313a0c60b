import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { required } from '../fields.js';
import { inMs, now } from '../expressions.js';

interface ReplicaDocument {
  _id: string;
  expiresAt: Date;
}

/** One document per running replica: not sharded. */
const replicaSchema = new Schema<ReplicaDocument>(
  { _id: { type: String, ...required }, expiresAt: { type: Date, ...required } },
  schemaOptions,
);

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
