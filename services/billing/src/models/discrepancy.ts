import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id, listOf, part } from '@panel/kit/records';
import { type Discrepancy, discrepancyFields } from '../domain/discrepancy.js';
import { maxQueryMs } from './fields.js';

const reportSchema = documentSchema({
  id,
  checkedAt: date,
  discrepancies: listOf(part(discrepancyFields)),
});

export interface DiscrepancyStore {
  read(): Promise<{ readonly discrepancies: readonly Discrepancy[]; readonly checkedAt: Date | null }>;
  write(discrepancies: readonly Discrepancy[], checkedAt: Date): Promise<void>;
  /** True for one process per interval. */
  claim(now: Date, intervalMs: number): Promise<boolean>;
}

const documentId = 'latest';
const maxRetained = 1_000;

export function createDiscrepancyStore(connection: MongoConnection): DiscrepancyStore {
  const model = defineModel(connection, 'Reconciliation', reportSchema, 'reconciliations');
  return {
    read: async () => {
      const document = await model.findById(documentId).maxTimeMS(maxQueryMs).lean();
      return { discrepancies: document?.discrepancies ?? [], checkedAt: document?.checkedAt ?? null };
    },
    write: async (discrepancies, checkedAt) => {
      const retained = discrepancies.slice(0, maxRetained);
      await model
        .updateOne({ _id: documentId }, { $set: { discrepancies: retained, checkedAt } }, { upsert: true })
        .maxTimeMS(maxQueryMs);
    },
    claim: async (now, intervalMs) => {
      const never = { checkedAt: new Date(0), discrepancies: [] };
      await model.updateOne({ _id: documentId }, { $setOnInsert: never }, { upsert: true }).maxTimeMS(maxQueryMs);
      const { matchedCount } = await model
        .updateOne(
          { _id: documentId, checkedAt: { $lte: new Date(now.getTime() - intervalMs) } },
          { $set: { checkedAt: now } },
        )
        .maxTimeMS(maxQueryMs);
      return matchedCount === 1;
    },
  };
}
