type DiscrepancyKind =
  | 'paid_not_running'
  | 'running_not_paid'
  | 'suspended_but_paid'
  | 'ledger_mismatch'
  /** At a gateway, not booked here. */
  | 'payment_unknown'
  /** Booked here, unknown to its gateway. */
  | 'payment_missing'
  /** A gateway event that could not be applied. */
  | 'event_failed'
  /** An active product whose egg does not exist. */
  | 'product_without_egg';

export interface Discrepancy {
  readonly kind: DiscrepancyKind;
  /** Id of the subscription, account or payment. */
  readonly reference: string;
  readonly detail: string;
  readonly repaired: boolean;
  readonly foundAt: Date;
}

/** The caller adds the time. */
export type Finding = Omit<Discrepancy, 'foundAt'>;
