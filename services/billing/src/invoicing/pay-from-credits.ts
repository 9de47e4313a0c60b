import { randomUUID } from 'node:crypto';
import { type InvoiceRecord, isPayable, paidMinor, type PaymentIntent } from '../domain/invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import type { CreditEntry } from '../domain/credit.js';
import { recordPayment } from './record-payment.js';
import { accounts } from '../domain/journal.js';

const maxTries = 20;

/**
 * All or nothing. Stores the intent first; ledger entry and payment share its id: after a crash any process continues,
 * and pays once.
 */
export async function payFromCredits(
  deps: InvoicingDeps,
  invoiceId: string,
): Promise<'paid' | 'insufficient' | 'not payable'> {
  const { invoices, credits, clock } = deps;
  for (let tries = 0; tries < maxTries; tries++) {
    const invoice = await invoices.get(invoiceId);
    if (!invoice || !isPayable(invoice)) return invoice?.status === 'paid' ? 'paid' : 'not payable';
    if (invoice.intent) {
      if ((await finishIntent(deps, invoice, invoice.intent)) === 'paid') return 'paid';
      continue;
    }
    const amountMinor = invoice.totalMinor - paidMinor(invoice);
    if ((await credits.balance(invoice.userId, invoice.currency)) < amountMinor) return 'insufficient';
    const intent = { id: randomUUID(), amountMinor, at: clock() };
    const condition = { status: [invoice.status], noIntent: true, paymentCount: invoice.payments.length };
    const started = await invoices.changeIf(invoiceId, condition, { set: { intent } });
    deps.failpoint('pay.intended');
    if (started && (await finishIntent(deps, started, intent)) === 'paid') return 'paid';
  }
  return 'insufficient';
}

export async function finishIntent(
  deps: InvoicingDeps,
  invoice: InvoiceRecord,
  intent: PaymentIntent,
): Promise<'paid' | 'insufficient'> {
  const { credits, invoices, clock, failpoint } = deps;
  const entry = entryOf(invoice, intent, clock());
  const result = await credits.post(entry);
  failpoint('pay.debited');
  if (result === 'insufficient') {
    // The mark blocks a late posting.
    const mark = await credits.post({ ...entry, amountMinor: 0, reason: 'cancelled' });
    if (mark === 'posted') {
      await invoices.changeIf(invoice.id, { intentId: intent.id }, { set: { intent: null } });
      return 'insufficient';
    }
  }
  const posted = result === 'posted' ? entry : await credits.find(entry.id, entry.userId, entry.currency);
  if (!posted || posted.amountMinor === 0) {
    await invoices.changeIf(invoice.id, { intentId: intent.id }, { set: { intent: null } });
    return 'insufficient';
  }
  const { id, amountMinor } = intent;
  const payment = { id, method: 'credits', amountMinor, reference: id, at: clock() };
  const paid = await recordPayment(deps, invoice.id, payment, invoice);
  failpoint('pay.recorded');
  // Its process died before it ended the intent.
  if (paid.intent) await invoices.changeIf(invoice.id, { intentId: intent.id }, { set: { intent: null } });
  return paid.status === 'paid' ? 'paid' : 'insufficient';
}

function entryOf(invoice: InvoiceRecord, { id, amountMinor }: PaymentIntent, at: Date): CreditEntry {
  return {
    id,
    userId: invoice.userId,
    currency: invoice.currency,
    amountMinor: -amountMinor,
    reason: 'payment',
    note: '',
    reference: invoice.id,
    against: accounts.receivable(invoice.id),
    createdAt: at,
  };
}
