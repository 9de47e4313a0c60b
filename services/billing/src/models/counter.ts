import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { count, holdSchema, id, maxQueryMs } from './fields.js';
import { createHolds, type Hold, type HoldFields, type Holds } from './holds.js';
import { ignoreDuplicate } from './write-result.js';

interface CounterDocument extends HoldFields {
  /** What is counted: `product:<id>:<user>`, `coupon:<id>:<user>`. */
  _id: string;
  used: number;
}

/** Sharding: by _id (hashed). */
const counterSchema = new Schema<CounterDocument>(
  { _id: id, used: count, holds: [holdSchema], returns: [String] },
  schemaOptions,
);
counterSchema.index({ 'holds.at': 1 }, { name: 'counter_holds', sparse: true });

/** What each customer has of something limited per customer. */
export interface CounterStore extends Omit<Holds, 'take'> {
  /** Take units unless there would be more than `most`; null: as many as one likes, but counted. */
  take(key: string, hold: Hold, most: number | null): Promise<boolean>;
}

export function createCounterStore(connection: MongoConnection): CounterStore {
  const model = defineModel(connection, 'Counter', counterSchema, 'counters');
  const holds = createHolds(model, 'used', 1);
  return {
    ...holds,
    take: async (key, hold, most) => {
      const isThere = await model.exists({ _id: key }).maxTimeMS(maxQueryMs);
      if (!isThere) await ignoreDuplicate(model.create({ _id: key, used: 0, holds: [], returns: [] }));
      return holds.take(key, hold, most === null ? {} : { used: { $lte: most - hold.quantity } });
    },
  };
}
