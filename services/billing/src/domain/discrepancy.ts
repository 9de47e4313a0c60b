type DiscrepancyKind =
  | 'paid_not_running'
  | 'running_not_paid'
  | 'suspended_but_paid'
  | 'ledger_mismatch'
  /** At a gateway, not booked here. */
  | 'payment_unknown'
  /** Booked here, unknown to its gateway. */
  | 'payment_missing'
  | 'event_failed'
  /** Its egg does not exist. */
  | 'product_without_egg';

export interface Discrepancy {
  readonly kind: DiscrepancyKind;
  /** Id of the subscription, account or payment. */
  readonly reference: string;
  readonly detail: string;
  readonly repaired: boolean;
  readonly foundAt: Date;
}

export type Finding = Omit<Discrepancy, 'foundAt'>;
