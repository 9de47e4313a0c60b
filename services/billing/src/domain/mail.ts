/** Mails that billing sends. */
export type MailEvent =
  | 'invoice_issued'
  | 'invoice_paid'
  | 'invoice_reminder'
  | 'invoice_overdue'
  | 'invoice_refunded'
  | 'payment_failed'
  | 'service_ready'
  | 'service_suspended'
  | 'service_unsuspended'
  | 'service_ended'
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
