import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import type { UsageMonth, UsedInHour } from '../domain/usage-price.js';
import { amount, count, embedded, id, maxQueryMs, required } from './fields.js';
import { insertedOnce } from './write-result.js';

/** What one hour of one metered service costs, and how far it is paid. */
export interface UsageCharge {
  readonly id: string;
  readonly serviceId: string;
  readonly userId: string;
  readonly currency: string;
  /** Its beginning. */
  readonly hour: Date;
  /** "2026-01", UTC. */
  readonly month: string;
  readonly used: UsedInHour;
  readonly costMicros: number;
  /** The month with this hour. */
  readonly total: UsageMonth;
  /** With tax. */
  readonly amountMinor: number;
  /** Of that, not paid yet. */
  readonly openMinor: number;
  /** Ledger entries made for it; their ids follow from the number. */
  readonly payments: number;
  /** Empty until its month is invoiced. */
  readonly invoiceId: string;
}

type ChargeDocument = Omit<UsageCharge, 'id'> & { _id: string };

const usedSchema = new Schema(
  { runningSeconds: count, memoryMbSeconds: count, diskMbSeconds: count, trafficBytes: count },
  embedded,
);
const monthSchema = new Schema({ costMicros: count, netMinor: amount, grossMinor: amount }, embedded);

/** Sharding: by serviceId (hashed). */
const chargeSchema = new Schema<ChargeDocument>(
  {
    _id: id,
    serviceId: id,
    userId: id,
    currency: id,
    hour: { type: Date, ...required },
    month: id,
    used: { type: usedSchema, ...required },
    costMicros: count,
    total: { type: monthSchema, ...required },
    amountMinor: amount,
    openMinor: amount,
    payments: count,
    invoiceId: { type: String, default: '' },
  },
  schemaOptions,
);
chargeSchema.index({ serviceId: 1, hour: 1 }, { name: 'usage_charge_hour', unique: true });
chargeSchema.index(
  { serviceId: 1, openMinor: 1 },
  { name: 'usage_charge_open', partialFilterExpression: { openMinor: { $gt: 0 } } },
);
chargeSchema.index({ userId: 1, hour: 1 }, { name: 'usage_charge_user' });

/** What a month of a service was charged. */
export interface MonthSum {
  readonly amountMinor: number;
  readonly openMinor: number;
  readonly total: UsageMonth;
}

/** Charges of metered services: one for each service and hour. */
export interface UsageChargeStore {
  /** False when the hour is charged already. */
  insertOnce(charge: UsageCharge): Promise<boolean>;
  latest(serviceId: string): Promise<UsageCharge | null>;
  /** Oldest first. */
  open(serviceId: string): Promise<UsageCharge[]>;
  /** Book the payment number `payments` of a charge, once. */
  pay(charge: Pick<UsageCharge, 'id' | 'payments'>, amountMinor: number): Promise<void>;
  /** The oldest month that is not invoiced; null: there is none. */
  monthToInvoice(serviceId: string): Promise<string | null>;
  sumOfMonth(serviceId: string, month: string): Promise<MonthSum>;
  markInvoiced(serviceId: string, month: string, invoiceId: string): Promise<void>;
  /** What all services of a user have cost in an hour, in millionths of a minor unit. */
  costOfHour(userId: string, currency: string, hour: Date): Promise<number>;
  /** Newest first. */
  list(serviceId: string, limit: number): Promise<UsageCharge[]>;
}

/** Hours of a month, and more. */
const maxHours = 1_000;

export function createUsageChargeStore(connection: MongoConnection): UsageChargeStore {
  const model = defineModel(connection, 'UsageCharge', chargeSchema, 'usage_charges');
  const newest = async (serviceId: string, limit: number) =>
    (await model.find({ serviceId }).sort({ hour: -1 }).limit(limit).maxTimeMS(maxQueryMs).lean()).map(chargeOf);
  const ofMonth = async (serviceId: string, month: string) =>
    model.find({ serviceId, month }).sort({ hour: 1 }).limit(maxHours).maxTimeMS(maxQueryMs).lean();
  return {
    insertOnce: async ({ id: chargeId, ...fields }) => insertedOnce(model.create([{ ...fields, _id: chargeId }])),
    latest: async (serviceId) => (await newest(serviceId, 1))[0] ?? null,
    open: async (serviceId) =>
      (
        await model
          .find({ serviceId, openMinor: { $gt: 0 } })
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
    monthToInvoice: async (serviceId) => {
      const oldest = await model
        .findOne({ serviceId, invoiceId: '' }, { month: 1 })
        .sort({ hour: 1 })
        .maxTimeMS(maxQueryMs)
        .lean();
      return oldest?.month ?? null;
    },
    sumOfMonth: async (serviceId, month) => {
      const charges = await ofMonth(serviceId, month);
      const sum = (field: 'amountMinor' | 'openMinor') => charges.reduce((total, charge) => total + charge[field], 0);
      const total = charges.at(-1)?.total ?? { costMicros: 0, netMinor: 0, grossMinor: 0 };
      return { amountMinor: sum('amountMinor'), openMinor: sum('openMinor'), total };
    },
    markInvoiced: async (serviceId, month, invoiceId) => {
      await model.updateMany({ serviceId, month }, { $set: { invoiceId } }).maxTimeMS(maxQueryMs);
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
