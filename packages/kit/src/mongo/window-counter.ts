import { Schema } from 'mongoose';
import { defineModel, duplicateIndex, maxQueryMs, type MongoConnection, schemaOptions } from './connection.js';

/** Events of one key within a window. Shard key: _id. */
interface WindowDocument {
  readonly _id: string;
  readonly count: number;
  readonly expiresAt: Date;
}

interface CountedWindow {
  /** Events in this window, the new one included. */
  readonly count: number;
  readonly endsAt: Date;
}

/** Counts events per key in fixed windows, exactly, across all replicas. */
export interface WindowCounter {
  /** Count one event before it happens: no burst passes a limit. */
  count(key: string, windowMs: number, now: Date): Promise<CountedWindow>;
  /** Do not count an event after all. */
  refund(key: string): Promise<void>;
}

/** Define the collection of a counter; indexed `<collection>_expiry`. */
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
        // Two first events at once: the document exists now.
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
