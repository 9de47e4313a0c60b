import type { EndCause, InvoiceMailEvent, MailContent, ServiceMailEvent, SuspendReason } from '../mail.js';

/** One per event for invoices and services, and per reason or cause where there is one. */
export type TemplateName =
  | Exclude<MailContent['kind'], 'invoice' | 'service'>
  | `invoice.${InvoiceMailEvent}`
  | `service.${ServiceMailEvent}`
  | `service.suspended.${SuspendReason}`
  | `service.ended.${EndCause}`;

/** Where a button leads. */
export type ActionName = 'choosePassword' | 'resetPassword' | 'panel' | 'invoices' | 'services' | 'credits';

/** `{{name}}` is a value; no logic, no second pass. */
interface TemplateTexts {
  readonly subject: string;
  /** Paragraphs before the button. */
  readonly opening: readonly string[];
  /** Paragraphs after it. */
  readonly closing: readonly string[];
}

/** The compiler requires every name in each language. */
export interface MailTexts {
  readonly labels: Readonly<Record<ActionName, string>>;
  readonly templates: Readonly<Record<TemplateName, TemplateTexts>>;
}
