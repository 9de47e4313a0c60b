import type { Model } from 'mongoose';
import { maxQueryMs } from './fields.js';

/** Units an order has taken and not yet confirmed. */
export interface Hold {
  readonly id: string;
  readonly quantity: number;
  readonly at: Date;
}

/** What the document of a limited thing has beside its counter. */
export interface HoldFields {
  holds: Hold[];
  /** Ids of what was given back lately, so that giving back counts once. */
  returns: string[];
}

/** How units of a limited thing are taken and given back. */
export interface Holds {
  /** Take units unless that would pass the limit; `limit` filters on the counter. Taking the same hold again changes nothing. */
  take(documentId: string, hold: Hold, limit: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** The hold becomes final. Idempotent. */
  confirm(documentId: string, holdId: string): Promise<void>;
  /** Give back what a hold took, once. Idempotent. */
  release(documentId: string, holdId: string): Promise<void>;
  /** Give back confirmed units, once per return id. */
  returnUnits(documentId: string, returnId: string, quantity: number): Promise<void>;
  /** Holds older than a time, for the sweep of those whose checkout died. */
  stale(before: Date, limit: number): Promise<readonly { readonly documentId: string; readonly holdId: string }[]>;
}

/** Returns are repeated only after a crash, so a short memory of them is enough. */
const rememberedReturns = 500;

/**
 * Holds on the counter `field` of a collection. `sign` is -1 for a counter of what is there (stock), 1 for a counter of
 * what was used. Counter and hold change in one write, so that a hold is there exactly when its units are taken.
 */
export function createHolds<T extends HoldFields & { _id: string }>(
  model: Model<T>,
  field: string,
  sign: 1 | -1,
): Holds {
  const collection = model as unknown as Model<HoldFields & { _id: string }>;
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
      // Unlimited by now: there is nothing to count.
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
      const found = await collection
        .find({ 'holds.at': { $lt: before } }, { holds: 1 })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.flatMap(({ _id, holds }) =>
        holds.filter(({ at }) => at < before).map(({ id }) => ({ documentId: _id, holdId: id })),
      );
    },
  };
}
