import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { count, id } from '@panel/kit/records';

/** By data root, which outlives nodes. */
const epochSchema = documentSchema({ _id: id, epoch: count });

/** Counts the changes to which servers have files in a data root, before they are made. */
export interface EpochStore {
  /** Counts one. */
  next(dataRootId: string): Promise<number>;
  /** 0: none. */
  of(dataRootId: string): Promise<number>;
  /** Never lowers it. */
  raise(dataRootId: string, epoch: number): Promise<void>;
}

export function createEpochStore(connection: MongoConnection): EpochStore {
  const model = defineModel(connection, 'Epoch', epochSchema, 'epochs');
  return {
    next: async (dataRootId) => {
      const options = { upsert: true, returnDocument: 'after' } as const;
      const counted = await model.findOneAndUpdate({ _id: dataRootId }, { $inc: { epoch: 1 } }, options).lean();
      return counted.epoch;
    },
    of: async (dataRootId) => (await model.findById(dataRootId).lean())?.epoch ?? 0,
    raise: async (dataRootId, epoch) => {
      await model.updateOne({ _id: dataRootId }, { $max: { epoch } }, { upsert: true });
    },
  };
}
