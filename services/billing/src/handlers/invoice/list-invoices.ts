import { type Handler, presentEach } from '@panel/rpc';
import { Invoice, type InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { parsePage } from '@panel/kit/mongo';
import { presentInvoice } from '../../present/invoice.js';
import { pageInfo, readInvoiceStatus, readScope, statusFilter } from '../read-request.js';

export function listInvoices(context: BillingContext): Handler<InvoiceServiceService['listInvoices']> {
  return async (request, call) => {
    const filter = { ...readScope(call, request), ...statusFilter(readInvoiceStatus(request.status)) };
    const sortable = { created_at: 'createdAt', number: 'sequence', due_at: 'dueAt', total: 'totalMinor' };
    const page = parsePage(request.page, sortable);
    const { invoices, total } = await context.invoices.list(filter, page);
    return { invoices: presentEach(call, invoices, presentInvoice, Invoice), page: pageInfo(page, total) };
  };
}
