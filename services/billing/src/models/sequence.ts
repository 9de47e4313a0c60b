import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { count, id, listOf, orNull, part, text } from '@panel/kit/records';
import { maxQueryMs } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Possibly unwritten: the n-th document gets `from + n`. */
export interface SequenceBatch {
  readonly from: number;
  readonly documentIds: readonly string[];
}

interface SequenceState {
  /** Last claimed number. */
  readonly last: number;
  readonly pending: SequenceBatch | null;
}

/** One document per kind of number. */
const sequenceSchema = documentSchema({
  id,
  last: count,
  pending: orNull(part({ from: count, documentIds: listOf(text) })),
});

/** Gapless counters; see invoicing/assign-numbers.ts. */
export interface SequenceStore {
  read(name: string): Promise<SequenceState>;
  /** False: the sequence moved, or a batch is pending. */
  claim(name: string, last: number, documentIds: readonly string[]): Promise<boolean>;
  clear(name: string, from: number): Promise<void>;
  /** May leave gaps. */
  next(name: string): Promise<number>;
}

export function createSequenceStore(connection: MongoConnection): SequenceStore {
  const model = defineModel(connection, 'Sequence', sequenceSchema, 'sequences');
  return {
    read: async (name) => {
      const document = await model.findById(name).maxTimeMS(maxQueryMs).lean();
      if (document) return { last: document.last, pending: document.pending };
      await ignoreDuplicate(model.create({ _id: name, last: 0, pending: null }));
      return { last: 0, pending: null };
    },
    claim: async (name, last, documentIds) => {
      const { matchedCount } = await model
        .updateOne(
          { _id: name, last, pending: null },
          { $set: { last: last + documentIds.length, pending: { from: last + 1, documentIds: [...documentIds] } } },
        )
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
    clear: async (name, from) => {
      await model.updateOne({ _id: name, 'pending.from': from }, { $set: { pending: null } }).maxTimeMS(maxQueryMs);
    },
    next: async (name) => {
      const document = await model
        .findOneAndUpdate({ _id: name }, { $inc: { last: 1 } }, { upsert: true, returnDocument: 'after' })
        .maxTimeMS(maxQueryMs)
        .lean();
      return document.last;
    },
  };
}
