import type { Handler } from '@panel/rpc';
import type { InvoiceServiceService } from '@panel/protos/billing';
import type { BillingContext } from '../../context.js';
import { presentStatement } from '../../present/statement.js';
import { importBankStatement } from '../../usecases/invoices/import-bank-statement.js';
import { readStatement } from '../read-request.js';

export function handleImportBankStatement(
  context: BillingContext,
): Handler<InvoiceServiceService['importBankStatement']> {
  return async (request) => ({
    entries: (await importBankStatement(context, readStatement(request))).map(presentStatement),
  });
}
