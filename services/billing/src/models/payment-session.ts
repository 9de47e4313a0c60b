import { defineModel, documentSchema, type MongoConnection } from '@panel/kit/mongo';
import { date, id, orNull } from '@panel/kit/records';
import { type PaymentSession, paymentSessionFields } from '../domain/payment-session.js';
import { maxQueryMs, until } from './fields.js';
import { ignoreDuplicate } from './write-result.js';

/** Sharding: by _id (hashed). */
const sessionSchema = documentSchema({ id, ...paymentSessionFields, checkAt: orNull(date) });
sessionSchema.index(
  { checkAt: 1 },
  { name: 'payment_session_check', partialFilterExpression: { checkAt: { $type: 'date' } } },
);

/** Polled, as webhooks can be lost. */
export interface PaymentSessionStore {
  insertIfAbsent(session: PaymentSession, checkAt: Date): Promise<void>;
  claim(now: Date, nextAt: Date): Promise<PaymentSession | null>;
  /** Null: no further query. */
  schedule(session: Pick<PaymentSession, 'gateway' | 'reference'>, checkAt: Date | null): Promise<void>;
}

export function createPaymentSessionStore(connection: MongoConnection): PaymentSessionStore {
  const model = defineModel(connection, 'PaymentSession', sessionSchema, 'payment_sessions');
  const idOf = ({ gateway, reference }: Pick<PaymentSession, 'gateway' | 'reference'>) => `${gateway}:${reference}`;
  return {
    insertIfAbsent: async (session, checkAt) => {
      await ignoreDuplicate(model.create([{ ...session, checkAt, _id: idOf(session) }]));
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
    schedule: async (session, checkAt) => {
      await model.updateOne({ _id: idOf(session) }, { $set: { checkAt } }).maxTimeMS(maxQueryMs);
    },
  };
}
