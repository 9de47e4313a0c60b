import { withActivity } from '@panel/activity';
import { serve, type ServedService } from '@panel/rpc';
import { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { invoiceEvent, statementEvent } from '../../present/activity-events.js';
import { handleGetBankTransfer } from './get-bank-transfer.js';
import { handleGetInvoice } from './get-invoice.js';
import { handleImportBankStatement } from './import-bank-statement.js';
import { handleListInvoices } from './list-invoices.js';
import { handlePayInvoice } from './pay-invoice.js';
import { handleRefundInvoice } from './refund-invoice.js';
import { handleRenderInvoice } from './render-invoice.js';
import { handleUpdateInvoiceStatus } from './update-invoice-status.js';

export function serveInvoices(context: BillingContext): ServedService {
  const { activity } = context;
  return serve(InvoiceServiceService, {
    getBankTransfer: handleGetBankTransfer(context),
    getInvoice: handleGetInvoice(context),
    importBankStatement: withActivity(activity, handleImportBankStatement(context), statementEvent),
    listInvoices: handleListInvoices(context),
    payInvoice: withActivity(activity, handlePayInvoice(context), invoiceEvent('billing:invoice.pay')),
    refundInvoice: withActivity(activity, handleRefundInvoice(context), invoiceEvent('billing:invoice.refund')),
    renderInvoice: handleRenderInvoice(context),
    updateInvoiceStatus: withActivity(
      activity,
      handleUpdateInvoiceStatus(context),
      invoiceEvent('billing:invoice.update'),
    ),
  });
}
