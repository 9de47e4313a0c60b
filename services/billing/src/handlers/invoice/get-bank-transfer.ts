import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentMoney } from '../../present/money.js';
import { getBankTransfer } from '../../usecases/invoices/get-bank-transfer.js';
import { getInvoice } from '../../usecases/invoices/get-invoice.js';

export function handleGetBankTransfer(context: BillingContext): Handler<InvoiceServiceService['getBankTransfer']> {
  return async ({ invoiceId }, call) => {
    const invoice = await getInvoice(context, invoiceId, call);
    const { account, amount, reference, dueAt, qrCode } = await getBankTransfer(context, invoice);
    const { holder: accountHolder, iban, bic, instructions } = account;
    return {
      accountHolder,
      iban,
      bic,
      instructions,
      amount: presentMoney(amount.amountMinor, amount.currency),
      reference,
      dueTime: dueAt,
      qrCode,
    };
  };
}
