export const creditReasons = [
  'grant',
  'purchase',
  'payment',
  'refund',
  'overpayment',
  'usage',
  'reversal',
  'cancelled',
] as const;
export type CreditReason = (typeof creditReasons)[number];

/** Idempotent by id. */
export interface CreditEntry {
  readonly id: string;
  readonly userId: string;
  readonly currency: string;
  /** Negative: spent. */
  readonly amountMinor: number;
  readonly reason: CreditReason;
  /** For people; may be empty. */
  readonly note: string;
  /** Id of the order, invoice or subscription, or empty. */
  readonly reference: string;
  readonly createdAt: Date;
}
