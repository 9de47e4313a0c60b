import { count, date, id, type RecordOf } from '@panel/kit/records';

export const paymentSessionFields = {
  gateway: id,
  /** Id at the gateway. */
  reference: id,
  invoiceId: id,
  createdAt: date,
  /** Status queries so far. */
  checks: count,
};
export type PaymentSession = RecordOf<typeof paymentSessionFields>;
