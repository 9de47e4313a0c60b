import type { CreditLot } from './credit-lots.js';

/** `dispute`: not to be spent while its payment is disputed. */
export const creditReasons = [
  'grant',
  'purchase',
  'payment',
  'refund',
  'overpayment',
  'usage',
  'dispute',
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
  /** The lots that it has moved, each by its part: less than the amount where a debt has taken the rest. Set by the store. */
  readonly lots?: readonly CreditLot[];
}
