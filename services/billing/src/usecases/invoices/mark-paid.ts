import { invalidFields } from '@panel/kit/errors';
import { isOneLine } from '@panel/kit/text';
import { derivedId } from '@panel/rpc';
import { type InvoiceRecord, isPayable, paidMinor } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { recordPayment } from '../../invoicing/record-payment.js';

/** Idempotent. Throws INVOICE_NOT_PAYABLE. */
export async function markInvoicePaid(
  context: BillingContext,
  invoice: InvoiceRecord,
  reference: string,
): Promise<InvoiceRecord> {
  if (invoice.status === 'paid') return invoice;
  if (!isPayable(invoice)) throw fail('INVOICE_NOT_PAYABLE', 'this invoice does not wait for a payment');
  if (reference.length > 200 || !isOneLine(reference))
    throw invalidFields({ reference: ['must be one line of at most 200 characters'] });
  // One id for concurrent operators: paid once.
  const id = derivedId(invoice.id, 'manual');
  const amountMinor = invoice.totalMinor - paidMinor(invoice);
  return recordPayment(context, invoice.id, { id, method: 'manual', amountMinor, reference, at: context.clock() });
}
