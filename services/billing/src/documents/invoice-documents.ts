import type { BankAccount } from '../domain/bank-account.js';
import { transferOf } from '../domain/bank-transfer.js';
import type { Invoice } from '../domain/invoice.js';
import { documentLanguageOf } from '../domain/language.js';
import { taxLines } from '../domain/tax.js';
import type { InvoiceLine, InvoiceView, ServicePeriod } from './invoice-view.js';
import { renderInvoiceHtml } from './render-html.js';
import { PdfThreads } from './pdf-threads.js';

export type DocumentFormat = 'html' | 'pdf';

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
}

export interface InvoiceDocuments {
  render(invoice: Invoice, context: DocumentContext, format: DocumentFormat): Promise<InvoiceDocument>;
}

export function createInvoiceDocuments(): InvoiceDocuments {
  const threads = new PdfThreads();
  return {
    render: async (invoice, context, format) => {
      const view = viewOf(invoice, context);
      const content =
        format === 'html' ? Buffer.from(renderInvoiceHtml(view)) : await threads.render(view, invoice.userId);
      return { content, fileName: `${invoice.number || `draft-${invoice.id}`}.${format}` };
    },
  };
}

/** Issued data only, which current data may differ from, and the account of now. */
function viewOf(invoice: Invoice, { creditedInvoiceNumber, account }: DocumentContext): InvoiceView {
  const isCreditNote = invoice.kind === 'credit_note';
  return {
    number: invoice.number,
    issuedAt: invoice.issuedAt,
    dueAt: isCreditNote ? null : invoice.dueAt,
    timezone: invoice.timezone ?? 'UTC',
    language: documentLanguageOf(invoice.language ?? 'en'),
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
