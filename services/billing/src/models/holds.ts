import { count, date, id, listOf, part, type RecordOf, text } from '@panel/kit/records';
import type { Model } from 'mongoose';
import { maxQueryMs } from './fields.js';

/** Taken, unconfirmed units. */
const holdFields = {
  id,
  quantity: count,
  at: date,
};
export type Hold = RecordOf<typeof holdFields>;

/** Fields beside the counter. */
export const holdsFields = {
  holds: listOf(part(holdFields)),
  /** Recent return ids: each return counts once. */
  returns: listOf(text),
};
type HoldsOf = RecordOf<typeof holdsFields>;

export interface Holds {
  /** `limit` filters on the counter; false beyond it. Idempotent by hold id. */
  take(documentId: string, hold: Hold, limit: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Idempotent. */
  confirm(documentId: string, holdId: string): Promise<void>;
  /** Idempotent. */
  release(documentId: string, holdId: string): Promise<void>;
  /** Once per return id. */
  returnUnits(documentId: string, returnId: string, quantity: number): Promise<void>;
  /** Candidates of the sweep. */
  stale(before: Date, limit: number): Promise<readonly { readonly documentId: string; readonly holdId: string }[]>;
}

/** Returns repeat only after a crash. */
const rememberedReturns = 500;

/** `sign`: -1 counts available units (stock), 1 used ones. Counter and hold change in one write. */
export function createHolds<T extends HoldsOf & { _id: string }>(model: Model<T>, field: string, sign: 1 | -1): Holds {
  const collection = model as unknown as Model<HoldsOf & { _id: string }>;
  const isCounted = { [field]: { $type: 'number' } };
  return {
    take: async (documentId, hold, limit) => {
      const filter = { ...limit, _id: documentId, 'holds.id': { $ne: hold.id } };
      const update = { $inc: { [field]: sign * hold.quantity }, $push: { holds: hold } };
      const { matchedCount } = await collection.updateOne(filter, update).maxTimeMS(maxQueryMs);
      if (matchedCount === 1) return true;
      return (await collection.exists({ _id: documentId, 'holds.id': hold.id }).maxTimeMS(maxQueryMs)) !== null;
    },
    confirm: async (documentId, holdId) => {
      await collection.updateOne({ _id: documentId }, { $pull: { holds: { id: holdId } } }).maxTimeMS(maxQueryMs);
    },
    release: async (documentId, holdId) => {
      const document = await collection.findOne({ _id: documentId }, { holds: 1 }).maxTimeMS(maxQueryMs).lean();
      const hold = document?.holds.find(({ id }) => id === holdId);
      if (!hold) return;
      const filter = { _id: documentId, 'holds.id': holdId };
      const pull = { $pull: { holds: { id: holdId } } };
      const back = { $inc: { [field]: -sign * hold.quantity }, ...pull };
      const { matchedCount } = await collection.updateOne({ ...filter, ...isCounted }, back).maxTimeMS(maxQueryMs);
      // Now unlimited: no counter to change.
      if (matchedCount === 0) await collection.updateOne(filter, pull).maxTimeMS(maxQueryMs);
    },
    returnUnits: async (documentId, returnId, quantity) => {
      await collection
        .updateOne(
          { _id: documentId, returns: { $ne: returnId }, ...isCounted },
          {
            $inc: { [field]: -sign * quantity },
            $push: { returns: { $each: [returnId], $slice: -rememberedReturns } },
          },
        )
        .maxTimeMS(maxQueryMs);
    },
    stale: async (before, limit) => {
      const filter: object = { 'holds.at': { $lt: before } };
      const found = await collection.find(filter, { holds: 1 }).limit(limit).maxTimeMS(maxQueryMs).lean();
      return found.flatMap(({ _id, holds }) =>
        holds.filter(({ at }) => at < before).map(({ id }) => ({ documentId: _id, holdId: id })),
      );
    },
  };
}
