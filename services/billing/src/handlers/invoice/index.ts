import { serve, type ServedService } from '@panel/rpc';
import { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { invoiceEvent } from '../../present/activity-events.js';
import { withActivity } from '../with-activity.js';
import { getInvoiceHandler } from './get-invoice.js';
import { listInvoicesHandler } from './list-invoices.js';
import { payInvoiceHandler } from './pay-invoice.js';
import { refundInvoiceHandler } from './refund-invoice.js';
import { renderInvoiceHandler } from './render-invoice.js';
import { updateInvoiceStatusHandler } from './update-invoice-status.js';

export function serveInvoices(context: BillingContext): ServedService {
  return serve(InvoiceServiceService, {
    getInvoice: getInvoiceHandler(context),
    listInvoices: listInvoicesHandler(context),
    payInvoice: withActivity(context, payInvoiceHandler(context), invoiceEvent('billing:invoice.pay')),
    refundInvoice: withActivity(context, refundInvoiceHandler(context), invoiceEvent('billing:invoice.refund')),
    renderInvoice: renderInvoiceHandler(context),
    updateInvoiceStatus: withActivity(
      context,
      updateInvoiceStatusHandler(context),
      invoiceEvent('billing:invoice.update'),
    ),
  });
}
