import { Schema } from 'mongoose';
import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from './connection.js';

/** A key's events within a window. Shard key: _id. */
interface WindowDocument {
  readonly _id: string;
  readonly count: number;
  readonly expiresAt: Date;
}

interface CountedWindow {
  /** Including the new event. */
  readonly count: number;
  readonly endsAt: Date;
}

/** Fixed windows, exact across replicas. */
export interface WindowCounter {
  /** In advance, so no burst passes a limit. */
  count(key: string, windowMs: number, now: Date): Promise<CountedWindow>;
  refund(key: string): Promise<void>;
}

/** With index `<collection>_expiry`. */
export function createWindowCounter(connection: MongoConnection, collection: string): WindowCounter {
  const model = defineModel(connection, `WindowCounter.${collection}`, windowSchema(collection), collection);
  const count = async (key: string, windowMs: number, now: Date): Promise<CountedWindow> => {
    const isCurrent = { $gt: ['$expiresAt', now] };
    const endsAt = new Date(now.getTime() + windowMs);
    const next = {
      count: { $cond: [isCurrent, { $add: ['$count', 1] }, 1] },
      expiresAt: { $cond: [isCurrent, '$expiresAt', endsAt] },
    };
    const updated = await model
      .findOneAndUpdate({ _id: key }, [{ $set: next }], {
        upsert: true,
        returnDocument: 'after',
        updatePipeline: true,
      })
      .maxTimeMS(maxQueryMs)
      .lean<WindowDocument>();
    return { count: updated?.count ?? 1, endsAt: updated?.expiresAt ?? endsAt };
  };
  return {
    count: async (key, windowMs, now) => {
      try {
        return await count(key, windowMs, now);
      } catch (error) {
        if (duplicateIndex(error) === null) throw error;
        return count(key, windowMs, now);
      }
    },
    refund: async (key) => {
      await model.updateOne({ _id: key, count: { $gt: 0 } }, { $inc: { count: -1 } });
    },
  };
}

function windowSchema(collection: string) {
  const schema = new Schema<WindowDocument>(
    {
      _id: { type: String, required: true },
      count: { type: Number, required: true },
      expiresAt: { type: Date, required: true },
    },
    schemaOptions,
  );
  schema.index({ expiresAt: 1 }, { name: `${collection}_expiry`, expireAfterSeconds: 0 });
  return schema;
}
