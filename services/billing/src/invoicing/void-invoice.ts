import { type InvoiceRecord, isPayable } from '../domain/invoice.js';
import { fail } from '../reasons.js';
import { applyEffectsOf } from './apply-effects.js';
import type { InvoicingDeps } from './dependencies.js';
import { finishIntent } from './pay-from-credits.js';

/**
 * Its effects issue the document that cancels it, drop what waits for its payment, and give back what was paid of it.
 * Idempotent. Throws INVOICE_NOT_FOUND, INVOICE_NOT_PAYABLE.
 */
export async function voidInvoice(deps: InvoicingDeps, invoiceId: string): Promise<InvoiceRecord> {
  const { invoices } = deps;
  for (let tries = 0; tries < 20; tries++) {
    const invoice = await invoices.get(invoiceId);
    if (!invoice) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
    if (invoice.status === 'void') return finish(deps, invoice);
    if (invoice.intent) {
      await finishIntent(deps, invoice, invoice.intent);
      continue;
    }
    if (!isPayable(invoice)) {
      throw fail('INVOICE_NOT_PAYABLE', 'this invoice does not wait for a payment');
    }
    const voided = await invoices.changeIf(
      invoiceId,
      { status: [invoice.status], noIntent: true, paymentCount: invoice.payments.length },
      { set: { status: 'void', step: null, stepAt: null, effectsDueAt: deps.clock() } },
    );
    deps.failpoint('void.marked');
    if (voided) return finish(deps, voided);
  }
  throw fail('INVOICE_BUSY', 'the invoice changes too fast');
}

async function finish(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<InvoiceRecord> {
  await applyEffectsOf(deps, invoice);
  return invoice;
}
