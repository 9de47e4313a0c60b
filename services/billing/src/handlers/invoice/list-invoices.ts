import { type Handler, presentEach } from '@panel/rpc';
import { Invoice, type InvoiceServiceService } from '@panel/protos/billing';
import { parsePage } from '@panel/kit/mongo';
import type { BillingContext } from '../../context.js';
import { presentInvoice } from '../../present/invoice.js';
import { listInvoices } from '../../usecases/invoices/list-invoices.js';
import { pageInfo, readInvoiceStatus, readScope } from '../read-request.js';

export function handleListInvoices(context: BillingContext): Handler<InvoiceServiceService['listInvoices']> {
  return async (request, call) => {
    const sortable = { created_at: 'createdAt', number: 'sequence', due_at: 'dueAt', total: 'totalMinor' };
    const page = parsePage(request.page, sortable);
    const filter = { ...readScope(request), status: readInvoiceStatus(request.status) };
    const { invoices, total } = await listInvoices(context, filter, page, call);
    return { invoices: presentEach(call, invoices, presentInvoice, Invoice), page: pageInfo(page, total) };
  };
}
