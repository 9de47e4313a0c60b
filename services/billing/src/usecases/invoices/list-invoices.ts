import type { PageQuery } from '@panel/kit/mongo';
import type { Caller } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import type { InvoiceStatus } from '../../domain/invoice.js';
import { type ListScope, ownerFilter } from '../../domain/own-or-staff.js';

/** `status` null: all. */
export async function listInvoices(
  { invoices }: BillingContext,
  { status, ...scope }: ListScope & { readonly status: InvoiceStatus | null },
  page: PageQuery,
  caller: Caller,
) {
  return invoices.list({ ...ownerFilter(caller, scope), ...(status === null ? {} : { status }) }, page);
}
