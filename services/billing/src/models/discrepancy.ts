import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { Discrepancy } from '../domain/discrepancy.js';
import { embedded, id, maxQueryMs, required, text } from './fields.js';

interface ReportDocument {
  _id: string;
  checkedAt: Date;
  discrepancies: Discrepancy[];
}

const reportSchema = new Schema<ReportDocument>(
  {
    _id: id,
    checkedAt: { type: Date, ...required },
    discrepancies: [
      new Schema(
        {
          kind: id,
          reference: id,
          detail: text,
          repaired: { type: Boolean, ...required },
          foundAt: { type: Date, ...required },
        },
        embedded,
      ),
    ],
  },
  schemaOptions,
);

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
