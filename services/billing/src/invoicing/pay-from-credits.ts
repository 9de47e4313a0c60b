import { randomUUID } from 'node:crypto';
import { type InvoiceRecord, isPayable, paidMinor, type PaymentIntent } from '../domain/invoice.js';
import type { InvoicingDeps } from './dependencies.js';
import type { CreditEntry } from '../domain/credit.js';
import { recordPayment } from './record-payment.js';
import { accounts } from '../domain/journal.js';

const maxTries = 20;

type CreditPayment = 'paid' | 'part' | 'insufficient' | 'not payable';

/**
 * All or nothing; with `isPart` as far as the credits go, once. Stores the intent first; ledger entry and payment share its
 * id: after a crash any process continues, and pays once.
 */
export async function payFromCredits(deps: InvoicingDeps, invoiceId: string, isPart = false): Promise<CreditPayment> {
  const { invoices, credits, clock } = deps;
  for (let tries = 0; tries < maxTries; tries++) {
    const invoice = await invoices.get(invoiceId);
    if (!invoice || !isPayable(invoice)) return invoice?.status === 'paid' ? 'paid' : 'not payable';
    if (invoice.intent) {
      if ((await finishIntent(deps, invoice, invoice.intent)) === 'paid') return 'paid';
      continue;
    }
    if (isPart && invoice.payments.some(({ method }) => method === 'credits')) return 'part';
    const openMinor = invoice.totalMinor - paidMinor(invoice);
    const balanceMinor = await credits.balance(invoice.userId, invoice.currency);
    const amountMinor = isPart ? Math.min(balanceMinor, openMinor) : openMinor;
    if (balanceMinor < amountMinor || amountMinor <= 0) return 'insufficient';
    const intent = { id: randomUUID(), amountMinor, at: clock() };
    const condition = { status: [invoice.status], noIntent: true, paymentCount: invoice.payments.length };
    const started = await invoices.changeIf(invoiceId, condition, { set: { intent } });
    deps.failpoint('pay.intended');
    const outcome = started ? await finishIntent(deps, started, intent) : null;
    if (outcome === 'paid' || (isPart && outcome === 'part')) return outcome;
  }
  return 'insufficient';
}

export async function finishIntent(
  deps: InvoicingDeps,
  invoice: InvoiceRecord,
  intent: PaymentIntent,
): Promise<Exclude<CreditPayment, 'not payable'>> {
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
  return paid.status === 'paid' ? 'paid' : 'part';
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
