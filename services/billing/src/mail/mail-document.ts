import type { InvoiceMail_Document } from '@panel/protos/admin';
import { plainFileName } from '../documents/plain-file-name.js';
import type { Invoice } from '../domain/invoice.js';
import type { MailEvent, MailPayload } from '../domain/mail.js';
import type { MailDeps } from './dependencies.js';

/** Bound of admin. */
const maxDocumentBytes = 1_048_576;

const documented: ReadonlySet<MailEvent> = new Set([
  'invoice_issued',
  'invoice_paid',
  'invoice_refunded',
  'invoice_cancelled',
]);

/** The document of the mail, of a refund its credit note, as PDF. Undefined: the mail goes without, since it matters more. */
export async function mailDocument(
  { invoices, documents, settings, log }: Pick<MailDeps, 'invoices' | 'documents' | 'settings' | 'log'>,
  invoice: Invoice,
  corrected: Invoice | null,
  { event, creditNoteId }: MailPayload,
): Promise<InvoiceMail_Document | undefined> {
  if (!documented.has(event)) return undefined;
  const subject = event === 'invoice_refunded' ? creditNoteId && (await invoices.get(creditNoteId)) : invoice;
  if (!subject) return undefined;
  try {
    const { bank: account, eInvoice: isHybrid } = await settings.read();
    const context = { creditedInvoiceNumber: (corrected ?? invoice).number, account, isHybrid };
    const { content, fileName } = await documents.render(subject, context, 'pdf');
    if (content.length <= maxDocumentBytes) return { fileName: plainFileName(fileName), content };
    log.warn({ invoiceId: subject.id, bytes: content.length }, 'a document is too large for its mail');
  } catch (error) {
    log.error({ err: error, invoiceId: subject.id }, 'a document could not be written for its mail');
  }
  return undefined;
}
