import { defineModel, type DocumentOf, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id } from '@panel/kit/records';
import { type JournalEntry, journalEntryFields, type JournalLine } from '../domain/journal.js';
import { maxQueryMs } from './fields.js';
import { ignoreDuplicates } from './write-result.js';

/** Append-only. Sharding: by _id (hashed). */
const entrySchema = documentSchema({ ...journalEntryFields, _id: id, postedAt: date });
type EntryDocument = DocumentOf<typeof entrySchema>;
entrySchema.index({ at: 1, _id: 1 }, { name: 'journal_time' });
entrySchema.index({ 'lines.account': 1 }, { name: 'journal_account' });
entrySchema.index({ userId: 1, currency: 1 }, { name: 'journal_user' });
entrySchema.index({ postedAt: 1 }, { name: 'journal_posted' });

/** An entry of the list, after which the next page begins. */
interface JournalCursor {
  readonly at: Date;
  readonly id: string;
}

export interface JournalStore {
  /** Idempotent by id. */
  insert(entries: readonly JournalEntry[]): Promise<void>;
  /** `start` <= time < `end`, in their order. */
  list(start: Date, end: Date, after: JournalCursor | null, limit: number): Promise<JournalEntry[]>;
  /** Sums of these accounts, each in its own currency; without those that nothing has moved. */
  sums(names: readonly string[]): Promise<Map<string, number>>;
  /** What a customer is owed in credits, less the debt, without these entries of credits. */
  creditsOf(userId: string, currency: string, without: readonly string[]): Promise<number>;
  postedSince(since: Date): AsyncIterable<JournalEntry>;
}

export function createJournalStore(connection: MongoConnection): JournalStore {
  const model = defineModel(connection, 'JournalEntry', entrySchema, 'journal');
  return {
    insert: async (entries) => {
      if (entries.length === 0) return;
      const postedAt = new Date();
      const documents = entries.map((entry) => ({ ...entry, _id: entry.id, postedAt }));
      await ignoreDuplicates(model.insertMany(documents, { ordered: false }));
    },
    list: async (start, end, after, limit) => {
      const later = after && { $or: [{ at: { $gt: after.at } }, { at: after.at, _id: { $gt: after.id } }] };
      const found = await model
        .find({ at: { $gte: start, $lt: end }, ...later })
        .sort({ at: 1, _id: 1 })
        .limit(limit)
        .maxTimeMS(maxQueryMs)
        .lean();
      return found.map(entryOf);
    },
    sums: async (names) => {
      const account = { $in: [...names] };
      const rows = await model
        .aggregate<{ _id: string; amountMinor: number }>([
          { $match: { 'lines.account': account } },
          { $unwind: '$lines' },
          { $match: { 'lines.account': account } },
          { $group: { _id: '$lines.account', amountMinor: { $sum: '$lines.amountMinor' } } },
        ])
        .option({ maxTimeMS: maxQueryMs });
      return new Map(rows.map(({ _id, amountMinor }) => [_id, amountMinor]));
    },
    creditsOf: async (userId, currency, without) => {
      const [row] = await model
        .aggregate<{ amountMinor: number }>([
          { $match: { userId, currency, kind: 'credits', documentId: { $nin: [...without] } } },
          { $unwind: '$lines' },
          { $match: { 'lines.account': /^(credits|debt):/ } },
          { $group: { _id: null, amountMinor: { $sum: '$lines.amountMinor' } } },
        ])
        .option({ maxTimeMS: maxQueryMs });
      return 0 - (row?.amountMinor ?? 0);
    },
    postedSince: async function* (since) {
      for await (const document of model
        .find({ postedAt: { $gte: since } })
        .lean()
        .cursor())
        yield entryOf(document);
    },
  };
}

function entryOf({ _id, postedAt: _postedAt, ...entry }: EntryDocument): JournalEntry {
  const lines: readonly JournalLine[] = entry.lines;
  return { ...entry, lines, id: _id };
}
