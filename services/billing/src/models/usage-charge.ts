import { defineModel, type DocumentOf, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { type MonthSum, type UsageCharge, usageChargeFields } from '../domain/usage-charge.js';
import { maxQueryMs } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Sharding: by subscriptionId (hashed). */
const chargeSchema = documentSchema(usageChargeFields);
type ChargeDocument = DocumentOf<typeof chargeSchema>;
chargeSchema.index({ subscriptionId: 1, hour: 1 }, { name: 'usage_charge_hour', unique: true });
chargeSchema.index(
  { subscriptionId: 1, openMinor: 1 },
  { name: 'usage_charge_open', partialFilterExpression: { openMinor: { $gt: 0 } } },
);
chargeSchema.index({ userId: 1, hour: 1 }, { name: 'usage_charge_user' });

/** One charge per subscription and hour. */
export interface UsageChargeStore {
  /** False: already charged. */
  insertIfAbsent(charge: UsageCharge): Promise<boolean>;
  latest(subscriptionId: string): Promise<UsageCharge | null>;
  /** Oldest first. */
  open(subscriptionId: string): Promise<UsageCharge[]>;
  /** Once per payment number. */
  pay(charge: Pick<UsageCharge, 'id' | 'payments'>, amountMinor: number): Promise<void>;
  /** Oldest month without invoice, or null. */
  monthToInvoice(subscriptionId: string): Promise<string | null>;
  sumOfMonth(subscriptionId: string, month: string): Promise<MonthSum>;
  markInvoiced(subscriptionId: string, month: string, invoiceId: string): Promise<void>;
  /** In millionths of a minor unit. */
  costOfHour(userId: string, currency: string, hour: Date): Promise<number>;
  /** Newest first. */
  list(subscriptionId: string, limit: number): Promise<UsageCharge[]>;
}

/** More than the hours of a month. */
const maxHours = 1_000;

export function createUsageChargeStore(connection: MongoConnection): UsageChargeStore {
  const model = defineModel(connection, 'UsageCharge', chargeSchema, 'usage_charges');
  const newest = async (subscriptionId: string, limit: number) =>
    (await model.find({ subscriptionId }).sort({ hour: -1 }).limit(limit).maxTimeMS(maxQueryMs).lean()).map(chargeOf);
  const ofMonth = async (subscriptionId: string, month: string) =>
    model.find({ subscriptionId, month }).sort({ hour: 1 }).limit(maxHours).maxTimeMS(maxQueryMs).lean();
  return {
    insertIfAbsent: async ({ id: chargeId, ...fields }) =>
      ignoreDuplicate(model.create([{ ...fields, _id: chargeId }])),
    latest: async (subscriptionId) => (await newest(subscriptionId, 1))[0] ?? null,
    open: async (subscriptionId) =>
      (
        await model
          .find({ subscriptionId, openMinor: { $gt: 0 } })
          .sort({ hour: 1 })
          .limit(maxHours)
          .maxTimeMS(maxQueryMs)
          .lean()
      ).map(chargeOf),
    pay: async ({ id: chargeId, payments }, amountMinor) => {
      await model
        .updateOne({ _id: chargeId, payments }, { $inc: { payments: 1, openMinor: -amountMinor } })
        .maxTimeMS(maxQueryMs);
    },
    monthToInvoice: async (subscriptionId) => {
      const oldest = await model
        .findOne({ subscriptionId, invoiceId: '' }, { month: 1 })
        .sort({ hour: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return oldest?.month ?? null;
    },
    sumOfMonth: async (subscriptionId, month) => {
      const charges = await ofMonth(subscriptionId, month);
      const sum = (field: 'amountMinor' | 'openMinor') => charges.reduce((total, charge) => total + charge[field], 0);
      const total = charges.at(-1)?.total ?? { costMicros: 0, netMinor: 0, grossMinor: 0 };
      return { amountMinor: sum('amountMinor'), openMinor: sum('openMinor'), total };
    },
    markInvoiced: async (subscriptionId, month, invoiceId) => {
      await model.updateMany({ subscriptionId, month }, { $set: { invoiceId } }).maxTimeMS(maxQueryMs);
    },
    costOfHour: async (userId, currency, hour) => {
      const charges = await model
        .find({ userId, hour, currency }, { costMicros: 1 })
        .limit(maxHours)
        .maxTimeMS(maxQueryMs)
        .lean();
      return charges.reduce((sum, { costMicros }) => sum + costMicros, 0);
    },
    list: newest,
  };
}

function chargeOf({ _id, ...fields }: ChargeDocument): UsageCharge {
  return { ...fields, id: _id };
}
