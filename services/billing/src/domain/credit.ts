/** Why credits changed. */
export type CreditReason =
  'grant' | 'purchase' | 'payment' | 'refund' | 'overpayment' | 'proration' | 'usage' | 'reversal' | 'cancelled';

/** One change of a balance. Its id makes it happen once. */
export interface CreditEntry {
  readonly id: string;
  readonly userId: string;
  readonly currency: string;
  /** Negative when credits were spent. */
  readonly amountMinor: number;
  readonly reason: CreditReason;
  /** For people; empty when there is nothing to add. */
  readonly note: string;
  /** Id of the order, invoice or subscription it is about; empty otherwise. */
  readonly reference: string;
  readonly createdAt: Date;
}
