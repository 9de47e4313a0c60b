import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { BillingContext } from '../../context.js';
import type { InvoiceRecord, InvoiceStatus } from '../../domain/invoice.js';
import { voidInvoice } from '../../invoicing/void-invoice.js';
import { markInvoicePaid } from './mark-paid.js';

/** Throws INVALID_FIELDS, INVOICE_NOT_PAYABLE. */
export async function updateInvoiceStatus(
  context: BillingContext,
  invoice: InvoiceRecord,
  { status, reference }: { readonly status: InvoiceStatus | null; readonly reference: string },
): Promise<InvoiceRecord> {
  if (status === 'paid') return markInvoicePaid(context, invoice, reference);
  if (status === 'void') return voidInvoice(context, invoice.id);
  throw invalidFields({ status: [fieldProblem('not_allowed', 'can be set to paid or void')] });
}
