import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { count, date, id } from '@panel/kit/records';
import { maxQueryMs } from './fields.js';

const attemptsSchema = documentSchema({
  /** Action and subject. */
  id,
  failures: count,
  expiresAt: date,
});
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
