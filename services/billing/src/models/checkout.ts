import { defineModel, type MongoConnection, schemaOptions } from '@panel/kit/mongo';
import { Schema } from 'mongoose';
import { count, id, maxQueryMs, required, until } from './fields.js';
import { insertedOnce } from './write-result.js';

/** A payment page at a gateway that a customer was sent to. */
export interface Checkout {
  readonly gateway: string;
  /** The gateway's name of it. */
  readonly reference: string;
  readonly invoiceId: string;
  readonly createdAt: Date;
  /** How often the gateway was asked how it stands. */
  readonly checks: number;
}

type CheckoutDocument = Checkout & { _id: string; checkAt: Date | null };

/** Sharding: by _id (hashed). */
const checkoutSchema = new Schema<CheckoutDocument>(
  {
    _id: id,
    gateway: id,
    reference: id,
    invoiceId: id,
    createdAt: { type: Date, ...required },
    checks: count,
    checkAt: { type: Date, default: null },
  },
  schemaOptions,
);
checkoutSchema.index(
  { checkAt: 1 },
  { name: 'checkout_check', partialFilterExpression: { checkAt: { $type: 'date' } } },
);

/** Payment pages whose outcome is asked for, because webhooks can be lost. */
export interface CheckoutStore {
  insertOnce(checkout: Checkout, checkAt: Date): Promise<void>;
  /** Take one that is to be asked for; others leave it alone until `nextAt`. */
  claim(now: Date, nextAt: Date): Promise<Checkout | null>;
  /** Ask again then; null: never. */
  schedule(checkout: Pick<Checkout, 'gateway' | 'reference'>, checkAt: Date | null): Promise<void>;
}

export function createCheckoutStore(connection: MongoConnection): CheckoutStore {
  const model = defineModel(connection, 'Checkout', checkoutSchema, 'checkouts');
  const idOf = ({ gateway, reference }: Pick<Checkout, 'gateway' | 'reference'>) => `${gateway}:${reference}`;
  return {
    insertOnce: async (checkout, checkAt) => {
      await insertedOnce(model.create([{ ...checkout, checkAt, _id: idOf(checkout) }]));
    },
    claim: async (now, nextAt) => {
      const update = { $set: { checkAt: nextAt }, $inc: { checks: 1 } };
      const found = await model
        .findOneAndUpdate({ checkAt: until(now) }, update, { returnDocument: 'after' })
        .maxTimeMS(maxQueryMs)
        .lean();
      if (!found) return null;
      const { gateway, reference, invoiceId, createdAt, checks } = found;
      return { gateway, reference, invoiceId, createdAt, checks };
    },
    schedule: async (checkout, checkAt) => {
      await model.updateOne({ _id: idOf(checkout) }, { $set: { checkAt } }).maxTimeMS(maxQueryMs);
    },
  };
}
