type DiscrepancyKind =
  | 'paid_not_running'
  | 'running_not_paid'
  | 'suspended_but_paid'
  | 'ledger_mismatch'
  /** Money at a gateway that is not booked here. */
  | 'payment_unknown'
  /** A payment that is booked here and unknown to its gateway. */
  | 'payment_missing'
  /** A message of a gateway that could not be applied. */
  | 'event_failed'
  /** A product on sale whose egg is gone. */
  | 'product_without_egg';

/** Something that does not agree with something else. */
export interface Discrepancy {
  readonly kind: DiscrepancyKind;
  /** Id of the subscription, account or payment. */
  readonly reference: string;
  readonly detail: string;
  /** Whether it was put right at once. */
  readonly repaired: boolean;
  readonly foundAt: Date;
}

/** What a comparison found; who calls it adds the time. */
export type Finding = Omit<Discrepancy, 'foundAt'>;
