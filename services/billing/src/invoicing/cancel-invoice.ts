import { cancellationOf } from '../domain/credit-note.js';
import type { InvoiceRecord } from '../domain/invoice.js';
import { mailEntry } from '../domain/mail.js';
import { dropChange } from '../domain/subscription.js';
import type { InvoicingDeps } from './dependencies.js';

/**
 * Of a void invoice: its order and its change of plan end, renewals are invoiced again, and a document cancels it.
 * Idempotent.
 */
export async function cancelInvoice(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<void> {
  const { invoices, numbers, clock, failpoint } = deps;
  const at = clock();
  const note = cancellationOf(invoice, at);
  if (!(await invoices.get(note.id))) {
    await dropPendingWork(deps, invoice);
    failpoint('void.dropped');
    await invoices.insertIfAbsent(note, [mailEntry(note.id, 'invoice_cancelled', at)]);
    failpoint('void.noted');
  }
  await numbers.assign('credit_note', note.id);
}

async function dropPendingWork(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<void> {
  const { orders, subscriptions, clock } = deps;
  const at = clock();
  for (const { purpose, subscriptionId, periodStart } of invoice.items) {
    if (purpose === 'change') {
      const change = (await subscriptions.get(subscriptionId))?.change;
      if (change?.invoiceId === invoice.id)
        await subscriptions.changeIf(subscriptionId, { changeInvoiceId: invoice.id }, dropChange(change));
    }
    if (purpose === 'renewal') await invoiceAnew(deps, subscriptionId, periodStart, at);
  }
  if (invoice.orderId !== '') {
    const cancelled = await orders.changeStatus(invoice.orderId, ['pending'], 'cancelled', at);
    for (const subscription of await subscriptions.ofOrder(invoice.orderId)) {
      await subscriptions.changeIf(
        subscription.id,
        { status: ['pending'] },
        { set: { status: 'cancelled', endedAt: at } },
      );
    }
    deps.log.debug({ orderId: invoice.orderId, cancelled: cancelled !== null }, 'the invoice of an order is void');
  }
}

/** Under another id. */
async function invoiceAnew(deps: InvoicingDeps, subscriptionId: string, periodStart: Date | null, at: Date) {
  const subscription = await deps.subscriptions.get(subscriptionId);
  if (!subscription || subscription.renewAt || subscription.nextDueAt?.getTime() !== periodStart?.getTime()) return;
  if (subscription.status !== 'active' && subscription.status !== 'suspended') return;
  await deps.subscriptions.changeIf(
    subscriptionId,
    { status: [subscription.status], renewAt: null, nextDueAt: subscription.nextDueAt },
    { set: { renewAt: at, renewalSerial: subscription.renewalSerial + 1 } },
  );
}
