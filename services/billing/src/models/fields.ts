import { schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { autoStarts, planIntervals } from '../domain/product.js';

export { maxQueryMs } from '@panel/kit/mongo';
export const required = { required: true } as const;
export const id = { type: String, ...required } as const;
/** Mongoose's `required` refuses empty text. */
export const text = { type: String, default: '' } as const;
/** Non-negative. */
export const amount = { type: Number, ...required, min: 0, validate: Number.isSafeInteger };
/** Of either sign. */
export const signedAmount = { type: Number, ...required, validate: Number.isSafeInteger };
export const count = { type: Number, ...required, validate: Number.isSafeInteger };
/** Without `$type` the planner skips partial indexes and scans. */
export const until = (time: Date) => ({ $lte: time, $type: 'date' }) as const;
export const embedded = { ...schemaOptions, _id: false } as const;

const usageRatesSchema = new Schema(
  {
    runningHourMicros: amount,
    memoryGbHourMicros: amount,
    diskGbHourMicros: amount,
    trafficGbMicros: amount,
    monthlyCapMinor: amount,
  },
  embedded,
);

export const planSchema = new Schema(
  {
    id,
    name: text,
    priceMinor: amount,
    setupFeeMinor: amount,
    currency: id,
    interval: { type: String, enum: planIntervals, ...required },
    intervalCount: count,
    usageRates: { type: usageRatesSchema, default: null },
  },
  embedded,
);

export const serverSchema = new Schema(
  {
    eggId: id,
    memoryMb: count,
    cpuPercent: count,
    diskMb: count,
    swapMb: count,
    ioWeight: count,
    databasesLimit: count,
    backupsLimit: count,
    allocationsLimit: count,
    nodeTags: [String],
    environment: { type: Map, of: String, default: {} },
    dockerImage: { type: String, default: null },
    autoStart: { type: String, enum: autoStarts },
    timezone: { type: String },
    threads: { type: String },
    oomDisabled: { type: Boolean },
    stopGraceSeconds: { type: Number },
  },
  embedded,
);

export const configSchema = new Schema(
  { serverName: text, environment: { type: Map, of: String, default: {} } },
  embedded,
);

export const discountSchema = new Schema(
  {
    couponId: id,
    code: id,
    type: { type: String, enum: ['percent', 'fixed'], ...required },
    value: amount,
    remaining: { type: Number, default: null },
  },
  embedded,
);

export const customerSchema = new Schema(
  { name: text, email: text, company: text, address: text, country: text, vatNumber: text },
  embedded,
);

export const sellerSchema = new Schema({ name: text, address: text, vatNumber: text }, embedded);

export const holdSchema = new Schema({ id, quantity: count, at: { type: Date, ...required } }, embedded);
