import { derivedId } from '@panel/rpc';
import type { PriceChange } from './price-change.js';
import { firstReasonOf, type SuspendReason } from './subscription.js';

export type MailEvent =
  | 'invoice_issued'
  | 'invoice_paid'
  | 'invoice_reminder'
  | 'invoice_overdue'
  | 'invoice_refunded'
  | 'invoice_cancelled'
  | 'payment_failed'
  | 'subscription_ready'
  | 'subscription_suspended'
  | 'subscription_unsuspended'
  | 'subscription_ended'
  | 'subscription_cancelled'
  | 'subscription_resumed'
  | 'price_changed'
  | 'credits_low';

/** Why a service has ended, for its customer. */
export type EndCause = 'cancelled' | 'unpaid' | 'operator' | 'dispute';

interface MailDetails {
  /** Of `subscription_suspended`: the first one. */
  readonly suspendReason?: SuspendReason;
  /** Of `subscription_ended`, if known. */
  readonly endCause?: EndCause;
  /** Of `subscription_cancelled` and `subscription_resumed`: end of the current period. */
  readonly endsAt?: Date;
  /** Of `price_changed`. */
  readonly notice?: PriceChange & { readonly oldMinor: number };
  /** Of `invoice_refunded`. */
  readonly creditNoteId?: string;
}

export interface MailPayload extends MailDetails {
  readonly event: MailEvent;
}

export interface MailEntry {
  readonly id: string;
  readonly at: Date;
  readonly payload: MailPayload;
}

/** Derived id: sent once. */
export function mailEntry(
  documentId: string,
  event: MailEvent,
  at: Date,
  occasion = '',
  details: MailDetails = {},
): MailEntry {
  return { id: derivedId(documentId, `mail ${event} ${occasion}`), at, payload: { event, ...details } };
}

/** Of a change of the reasons: the mail names the first one. Without any the service is available again. */
export function suspensionMail(subscriptionId: string, reasons: readonly SuspendReason[], at: Date): MailEntry {
  const suspendReason = firstReasonOf(reasons);
  const occasion = at.toISOString();
  return suspendReason
    ? mailEntry(subscriptionId, 'subscription_suspended', at, occasion, { suspendReason })
    : mailEntry(subscriptionId, 'subscription_unsuspended', at, occasion);
}
