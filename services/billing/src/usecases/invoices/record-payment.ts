import type { BillingContext } from '../../context.js';
import { type InvoicePayment, isPayable, paidMinor } from '../../domain/invoice.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import { fail } from '../../reasons.js';
import { mailEntry } from '../mail/mail-entry.js';
import { applyInvoiceEffects } from './apply-effects.js';

const maxTries = 50;

/**
 * Write a payment to its invoice, once per payment id. The invoice is paid when the sum reaches its total. Money for an
 * invoice that is paid or void already is written down too, and becomes credits. Throws INVOICE_NOT_FOUND, INVOICE_BUSY.
 */
export async function recordPayment(
  context: BillingContext,
  invoiceId: string,
  payment: InvoicePayment,
): Promise<InvoiceRecord> {
  for (let tries = 0; tries < maxTries; tries++) {
    const invoice = await context.invoices.get(invoiceId);
    if (!invoice) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
    const recorded = invoice.payments.some(({ id }) => id === payment.id)
      ? invoice
      : await tryRecord(context, invoice, payment);
    if (!recorded) continue;
    await applyInvoiceEffects(context, invoiceId);
    return (await context.invoices.get(invoiceId)) ?? recorded;
  }
  throw fail('INVOICE_BUSY', 'the invoice changes too fast');
}

async function tryRecord(
  { invoices, clock }: BillingContext,
  invoice: InvoiceRecord,
  payment: InvoicePayment,
): Promise<InvoiceRecord | null> {
  const at = clock();
  const isComplete = paidMinor(invoice) + payment.amountMinor >= invoice.totalMinor;
  const condition = { status: [invoice.status], paymentCount: invoice.payments.length };
  if (!isPayable(invoice)) return invoices.changeIf(invoice.id, condition, { payment, set: { effectsDueAt: at } });
  if (!isComplete) return invoices.changeIf(invoice.id, condition, { payment });
  return invoices.changeIf(invoice.id, condition, {
    payment,
    set: { status: 'paid', paidAt: at, effectsDueAt: at, step: null, stepAt: null },
    mail: mailEntry(invoice.id, 'invoice_paid', at),
  });
}
