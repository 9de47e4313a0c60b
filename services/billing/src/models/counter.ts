import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { count, id } from '@panel/kit/records';
import { createHolds, type Hold, type Holds, holdsFields } from './holds.js';
import { maxQueryMs } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Sharding: by _id (hashed). */
const counterSchema = documentSchema({
  /** `product:<id>:<user>` or `coupon:<id>:<user>`. */
  id,
  used: count,
  ...holdsFields,
});
counterSchema.index({ 'holds.at': 1 }, { name: 'counter_holds', sparse: true });

export interface CounterStore extends Omit<Holds, 'take'> {
  /** False beyond `most`; null: unlimited, but counted. */
  take(key: string, hold: Hold, most: number | null): Promise<boolean>;
}

export function createCounterStore(connection: MongoConnection): CounterStore {
  const model = defineModel(connection, 'Counter', counterSchema, 'counters');
  const holds = createHolds(model, 'used', 1);
  return {
    ...holds,
    take: async (key, hold, most) => {
      if (most !== null && hold.quantity > most) return false;
      const limit = most === null ? {} : { used: { $lte: most - hold.quantity } };
      // One write either way; a duplicate key: it exists, and is full or has this hold.
      const filter = { ...limit, _id: key, 'holds.id': { $ne: hold.id } };
      const update = { $inc: { used: hold.quantity }, $push: { holds: hold }, $setOnInsert: { returns: [] } };
      const isTaken = await ignoreDuplicate(
        model.updateOne(filter, update, { upsert: true }).maxTimeMS(maxQueryMs).exec(),
      );
      return isTaken || holds.take(key, hold, limit);
    },
  };
}
