import { amount, date, id, listOf, oneOf, part, type RecordOf, text } from '@panel/kit/records';

/** `dispute`: not to be spent while its payment is disputed. */
export const creditReasons = [
  'grant',
  'gift',
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

/** `payment`: bought, or paid too much. `promotion`: granted, or of a gift code. `correction`: without a known source. */
const lotSources = ['payment', 'promotion', 'correction'] as const;

const lotFields = {
  /** Of the entry that opened it. */
  id,
  source: oneOf(lotSources),
  /** Id of the invoice whose payment it is; else empty. */
  reference: text,
  openedAt: date,
  amountMinor: amount,
};
/** Credits of one source, or the part of them that an entry moves. */
export type CreditLot = RecordOf<typeof lotFields>;

export const lotList = listOf(part(lotFields));

/** One account a currency. */
export function accountIdOf(userId: string, currency: string): string {
  return `${userId}:${currency}`;
}

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
  /** Id of the order, invoice, subscription or gift code, or empty. */
  readonly reference: string;
  /** Account of the journal on the other side; absent on entries from before the journal. */
  readonly against?: string;
  readonly createdAt: Date;
  /** The lots that it has moved, each by its part: less than the amount where a debt has taken the rest. Set by the store. */
  readonly lots?: readonly CreditLot[];
}
