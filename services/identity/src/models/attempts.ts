import { defineModel, duplicateIndex, type MongoConnection, schemaOptions } from '@panel/kit';
import { Schema } from 'mongoose';

/** Tries at something within a window. Shard key: _id. */
interface AttemptsDocument {
  readonly _id: string;
  readonly count: number;
  readonly expiresAt: Date;
}

const schema = new Schema<AttemptsDocument>(
  {
    _id: { type: String, required: true },
    count: { type: Number, required: true },
    expiresAt: { type: Date, required: true },
  },
  schemaOptions,
);
schema.index({ expiresAt: 1 }, { name: 'attempts_expiry', expireAfterSeconds: 0 });

export interface Tries {
  readonly count: number;
  /** When the window ends. */
  readonly endsAt: Date;
}

export type AttemptStore = ReturnType<typeof createAttemptStore>;

/** Counts tries across all replicas. */
export function createAttemptStore(connection: MongoConnection) {
  const attempts = defineModel(connection, 'Attempts', schema, 'attempts');
  const count = async (key: string, windowMs: number, now: Date): Promise<Tries> => {
    const isCurrent = { $gt: ['$expiresAt', now] };
    const next = {
      count: { $cond: [isCurrent, { $add: ['$count', 1] }, 1] },
      expiresAt: { $cond: [isCurrent, '$expiresAt', new Date(now.getTime() + windowMs)] },
    };
    const updated = await attempts
      .findOneAndUpdate({ _id: key }, [{ $set: next }], {
        upsert: true,
        returnDocument: 'after',
        updatePipeline: true,
      })
      .lean<AttemptsDocument>();
    return { count: updated?.count ?? 1, endsAt: updated?.expiresAt ?? new Date(now.getTime() + windowMs) };
  };
  return {
    /** Count one more try and say how many there are in this window, before the try is made: no burst slips through. */
    count: async (key: string, windowMs: number, now: Date): Promise<Tries> => {
      try {
        return await count(key, windowMs, now);
      } catch (error) {
        // Two first tries at once: the document is there now.
        if (duplicateIndex(error) === null) throw error;
        return count(key, windowMs, now);
      }
    },
    /** Take a try back that turned out right. */
    forgive: async (key: string): Promise<void> => {
      await attempts.updateOne({ _id: key, count: { $gt: 0 } }, { $inc: { count: -1 } });
    },
  };
}
