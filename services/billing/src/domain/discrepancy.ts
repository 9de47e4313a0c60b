import { date, type Field, flag, id, type RecordOf, text } from '@panel/kit/records';

type DiscrepancyKind =
  | 'paid_not_running'
  | 'running_not_paid'
  | 'suspended_but_paid'
  | 'ledger_mismatch'
  /** Given for money that did not come. */
  | 'credit_without_payment'
  /** The journal says something else than an invoice or a balance. */
  | 'journal_mismatch'
  /** At a gateway, not booked here. */
  | 'payment_unknown'
  /** Booked here, unknown to its gateway. */
  | 'payment_missing'
  | 'event_failed'
  /** Its egg does not exist. */
  | 'product_without_egg'
  /** Its customer was deleted. */
  | 'service_without_user';

export const discrepancyFields = {
  kind: id as Field<DiscrepancyKind>,
  /** Id of the subscription, account or payment. */
  reference: id,
  detail: text,
  repaired: flag,
  foundAt: date,
};
export type Discrepancy = RecordOf<typeof discrepancyFields>;

export type Finding = Omit<Discrepancy, 'foundAt'>;
