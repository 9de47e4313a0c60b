import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { count, id, maxQueryMs, required } from './fields.js';

interface AttemptsDocument {
  /** Action and subject. */
  _id: string;
  failures: number;
  expiresAt: Date;
}

const attemptsSchema = new Schema<AttemptsDocument>(
  { _id: id, failures: count, expiresAt: { type: Date, ...required } },
  schemaOptions,
);
attemptsSchema.index({ expiresAt: 1 }, { name: 'attempts_expiry', expireAfterSeconds: 0 });

export interface AttemptStore {
  failures(key: string, now: Date): Promise<number>;
  addFailure(key: string, now: Date, windowMs: number): Promise<void>;
}

export function createAttemptStore(connection: MongoConnection): AttemptStore {
  const model = defineModel(connection, 'Attempts', attemptsSchema, 'attempts');
  return {
    failures: async (key, now) => {
      const document = await model.findById(key).maxTimeMS(maxQueryMs).lean();
      return document && document.expiresAt > now ? document.failures : 0;
    },
    addFailure: async (key, now, windowMs) => {
      const expiresAt = new Date(now.getTime() + windowMs);
      const { matchedCount } = await model
        .updateOne({ _id: key, expiresAt: { $gt: now } }, { $inc: { failures: 1 } })
        .maxTimeMS(maxQueryMs);
      if (matchedCount === 1) return;
      await model.updateOne({ _id: key }, { $set: { failures: 1, expiresAt } }, { upsert: true }).maxTimeMS(maxQueryMs);
    },
  };
}
