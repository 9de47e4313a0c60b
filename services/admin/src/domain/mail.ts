/** By kind. Names are the proto's. */
export type MailContent =
  | { readonly kind: 'setPassword'; readonly username: string; readonly token: string; readonly validHours: number }
  | { readonly kind: 'resetPassword'; readonly username: string; readonly token: string; readonly validMinutes: number }
  | { readonly kind: 'emailChanged'; readonly username: string; readonly newEmail: string }
  | { readonly kind: 'invitation'; readonly inviter: string; readonly serverName: string }
  | {
      readonly kind: 'invoice';
      readonly event: InvoiceMailEvent;
      readonly customerName: string;
      readonly number: string;
      /** "4.99 EUR", with the currency's digits. */
      readonly total: string;
      /** ISO 8601, as all times here. */
      readonly dueAt: string;
      readonly document: MailDocument | null;
    }
  | {
      readonly kind: 'service';
      readonly event: ServiceMailEvent;
      readonly customerName: string;
      readonly serviceName: string;
      /** Null: not known, or of another event. */
      readonly suspendReason: SuspendReason | null;
      readonly endCause: EndCause | null;
      /** End of its period. */
      readonly endsAt: string | null;
    }
  | { readonly kind: 'creditsLow'; readonly customerName: string; readonly balance: string }
  | {
      readonly kind: 'priceChange';
      readonly customerName: string;
      readonly serviceName: string;
      /** As `total`. */
      readonly oldPrice: string;
      readonly newPrice: string;
      readonly startsAt: string;
    }
  | { readonly kind: 'test' };

/** A PDF. */
export interface MailDocument {
  readonly fileName: string;
  /** Base64. */
  readonly content: string;
}

export type InvoiceMailEvent = 'issued' | 'paid' | 'reminder' | 'overdue' | 'refunded' | 'cancelled' | 'payment_failed';
export type ServiceMailEvent = 'ready' | 'suspended' | 'unsuspended' | 'ended' | 'cancelled' | 'resumed';
export type SuspendReason = 'operator' | 'dispute' | 'debt' | 'overdue' | 'balance';
export type EndCause = 'cancelled' | 'unpaid' | 'operator' | 'dispute';

/** Message-ID in the panel's domain. */
export function messageIdOf(id: string, panelUrl: string): string {
  return `${id}@${new URL(panelUrl).hostname.replace(/^\[|\]$/g, '')}`;
}

/** Milliseconds from the request; null: unlimited. */
export function lifetimeMs(content: MailContent): number | null {
  if (content.kind === 'setPassword') return content.validHours * 3_600_000;
  if (content.kind === 'resetPassword') return content.validMinutes * 60_000;
  return null;
}

/** Printed by the launcher in development. */
export interface ShownMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}
