import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import { fail } from '../../reasons.js';
import { mayUse } from '../own-or-staff.js';

/** An own invoice, or any for staff by the row of the RPC. Throws INVOICE_NOT_FOUND, for those of others as well. */
export async function getInvoice(
  { invoices }: BillingContext,
  invoiceId: string,
  caller: Caller,
): Promise<InvoiceRecord> {
  const invoice = await invoices.get(invoiceId);
  if (!invoice || !mayUse(caller, invoice.userId)) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
  return invoice;
}
