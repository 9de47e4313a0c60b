import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import { fail } from '../../reasons.js';
import { mayUse } from '../../domain/own-or-staff.js';

/** Own, or any for staff. Throws INVOICE_NOT_FOUND, also for those of others. */
export async function getInvoice(
  { invoices }: BillingContext,
  invoiceId: string,
  caller: Caller,
): Promise<InvoiceRecord> {
  const invoice = await invoices.get(invoiceId);
  if (!invoice || !mayUse(caller, invoice.userId)) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
  return invoice;
}
