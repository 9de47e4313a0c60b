/** Mails that billing sends. */
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

/** A mail to send about a document, once. */
export interface MailEntry {
  readonly id: string;
  readonly at: Date;
  readonly payload: MailPayload;
}
