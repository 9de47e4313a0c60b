import { assertNever } from '@panel/kit/errors';
import type { BankAccount } from '../domain/bank-account.js';
import { transferOf } from '../domain/bank-transfer.js';
import { eInvoiceOf } from '../domain/e-invoice.js';
import type { Invoice } from '../domain/invoice.js';
import { type DocumentLanguage, documentLanguageOf } from '../domain/language.js';
import { taxLines } from '../domain/tax.js';
import { fail } from '../reasons.js';
import type { EInvoiceAttachment } from './e-invoice-attachment.js';
import { eInvoiceXml } from './e-invoice-xml.js';
import type { InvoiceLine, InvoiceView, ServicePeriod } from './invoice-view.js';
import { renderInvoiceHtml } from './render-html.js';
import { PdfThreads } from './pdf-threads.js';

export type DocumentFormat = 'html' | 'pdf' | 'xml';

export interface InvoiceDocument {
  readonly content: Buffer;
  readonly fileName: string;
}

/** What a document says beside its invoice. */
interface DocumentContext {
  /** Empty unless a credit note. */
  readonly creditedInvoiceNumber: string;
  /** Where an unpaid invoice is to be paid; null: nowhere. */
  readonly account: BankAccount | null;
  /** PDFs hold the XML, where the invoice has what that needs. */
  readonly isHybrid: boolean;
}

export interface InvoiceDocuments {
  /** Throws E_INVOICE_UNAVAILABLE for `xml`. */
  render(invoice: Invoice, context: DocumentContext, format: DocumentFormat): Promise<InvoiceDocument>;
}

export function createInvoiceDocuments(): InvoiceDocuments {
  const threads = new PdfThreads();
  return {
    render: async (invoice, context, format) => ({
      content: await contentOf(invoice, context, format, threads),
      fileName: `${invoice.number || `draft-${invoice.id}`}.${format}`,
    }),
  };
}

async function contentOf(
  invoice: Invoice,
  context: DocumentContext,
  format: DocumentFormat,
  threads: PdfThreads,
): Promise<Buffer> {
  switch (format) {
    case 'html':
      return Buffer.from(renderInvoiceHtml(viewOf(invoice, context)));
    case 'pdf': {
      const view = viewOf(invoice, context);
      return threads.render(
        { view, eInvoice: context.isHybrid ? attachmentOf(invoice, context) : null },
        invoice.userId,
      );
    }
    case 'xml': {
      const attachment = attachmentOf(invoice, context);
      if (attachment) return Buffer.from(attachment.xml);
      throw fail('E_INVOICE_UNAVAILABLE', 'it is not issued, void, or lacks what an electronic invoice needs');
    }
    default:
      return assertNever(format);
  }
}

/** Null: there is none. */
function attachmentOf(invoice: Invoice, context: DocumentContext): EInvoiceAttachment | null {
  const found = eInvoiceOf(invoice, context);
  return found && { profile: found.profile, xml: eInvoiceXml(found, languageOf(invoice)) };
}

const languageOf = ({ language }: Invoice): DocumentLanguage => documentLanguageOf(language ?? 'en');

/** Issued data only, which current data may differ from, and the account of now. */
function viewOf(invoice: Invoice, { creditedInvoiceNumber, account }: DocumentContext): InvoiceView {
  const isCreditNote = invoice.kind === 'credit_note';
  return {
    number: invoice.number,
    issuedAt: invoice.issuedAt,
    dueAt: isCreditNote ? null : invoice.dueAt,
    timezone: invoice.timezone ?? 'UTC',
    language: languageOf(invoice),
    seller: invoice.seller,
    customer: invoice.customer,
    lines: invoice.items.map((item) => lineOf(item, invoice)),
    subtotal: invoice.subtotalMinor,
    discount: invoice.discountMinor,
    taxes: hasTax(invoice) ? taxLines(invoice.items, invoice.taxRateBasisPoints) : [],
    taxInclusive: invoice.taxInclusive,
    treatment: invoice.tax?.treatment ?? 'standard',
    taxReason: invoice.tax?.reason ?? '',
    total: invoice.totalMinor,
    currency: invoice.currency,
    status: invoice.status,
    payments: invoice.payments.map(({ method, reference, amountMinor, at }) => {
      return { method, reference, amount: amountMinor, at };
    }),
    transfer: account && !isCreditNote ? transferOf(invoice, account) : null,
    ...(isCreditNote && { creditedInvoiceNumber }),
  };
}

/** Not of a seller who charges none. */
function hasTax({ tax, taxMinor }: Invoice): boolean {
  return tax?.treatment !== 'none' || taxMinor !== 0;
}

function lineOf(item: Invoice['items'][number], { taxRateBasisPoints }: Invoice): InvoiceLine {
  return {
    description: item.description,
    setupFee: item.setupFeeMinor,
    quantity: item.quantity,
    unitPrice: item.unitPriceMinor,
    discount: item.discountMinor,
    period: periodOf(item),
    taxRate: taxRateBasisPoints,
    tax: item.taxMinor,
    total: item.totalMinor,
  };
}

function periodOf({ periodStart, periodEnd, term }: Invoice['items'][number]): ServicePeriod | null {
  if (periodStart && periodEnd) return { start: periodStart, end: periodEnd };
  return term ?? null;
}
