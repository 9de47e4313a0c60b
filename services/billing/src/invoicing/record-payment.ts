import { mailEntry } from '../domain/mail.js';
import { type InvoicePayment, type InvoiceRecord, isPayable, paidMinor } from '../domain/invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import { fail } from '../reasons.js';
import { applyEffectsOf } from './apply-effects.js';

const maxTries = 50;

/**
 * Idempotent by payment id. Paid at the total. Money for a paid or void invoice becomes credits. `known`: the invoice,
 * if just read. Throws INVOICE_NOT_FOUND, INVOICE_BUSY.
 */
export async function recordPayment(
  deps: InvoicingDeps,
  invoiceId: string,
  payment: InvoicePayment,
  known?: InvoiceRecord,
): Promise<InvoiceRecord> {
  for (let tries = 0; tries < maxTries; tries++) {
    const invoice = tries === 0 && known ? known : await deps.invoices.get(invoiceId);
    if (!invoice || invoice.kind === 'credit_note') throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
    const recorded = invoice.payments.some(({ id }) => id === payment.id)
      ? invoice
      : await tryRecord(deps, invoice, payment);
    if (!recorded) continue;
    await applyEffectsOf(deps, recorded);
    return recorded;
  }
  throw fail('INVOICE_BUSY', 'the invoice changes too fast');
}

async function tryRecord(
  { invoices, clock }: InvoicingDeps,
  invoice: InvoiceRecord,
  payment: InvoicePayment,
): Promise<InvoiceRecord | null> {
  const at = clock();
  // Ends the intent in the same write.
  const isIntended = invoice.intent?.id === payment.id;
  const isComplete = paidMinor(invoice) + payment.amountMinor >= invoice.totalMinor;
  const isAwaited = invoice.pendingPayment?.reference === payment.reference;
  const ended = {
    ...(isIntended ? { intent: null } : {}),
    ...(invoice.pendingPayment && (isComplete || isAwaited) ? { pendingPayment: null } : {}),
  };
  const condition = {
    status: [invoice.status],
    paymentCount: invoice.payments.length,
    ...(isIntended ? { intentId: payment.id } : {}),
  };
  if (!isPayable(invoice)) {
    return invoices.changeIf(invoice.id, condition, { payment, set: { effectsDueAt: at, ...ended } });
  }
  if (!isComplete) return invoices.changeIf(invoice.id, condition, { payment, set: ended });
  return invoices.changeIf(invoice.id, condition, {
    payment,
    set: { status: 'paid', paidAt: at, effectsDueAt: at, step: null, stepAt: null, ...ended },
    mail: mailEntry(invoice.id, 'invoice_paid', at),
  });
}
