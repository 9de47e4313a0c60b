import { derivedId } from '@panel/rpc';

export type MailEvent =
  | 'invoice_issued'
  | 'invoice_paid'
  | 'invoice_reminder'
  | 'invoice_overdue'
  | 'invoice_refunded'
  | 'payment_failed'
  | 'subscription_ready'
  | 'subscription_suspended'
  | 'subscription_unsuspended'
  | 'subscription_ended'
  | 'credits_low';

export interface MailPayload {
  readonly event: MailEvent;
}

export interface MailEntry {
  readonly id: string;
  readonly at: Date;
  readonly payload: MailPayload;
}

/** Derived id: sent once. */
export function mailEntry(documentId: string, event: MailEvent, at: Date, occasion = ''): MailEntry {
  return { id: derivedId(documentId, `mail ${event} ${occasion}`), at, payload: { event } };
}
