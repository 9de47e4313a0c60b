import { type InvoiceRecord, paidMinor } from '../domain/invoice.js';
import { dropChange } from '../domain/subscription.js';
import type { InvoicingDeps } from './dependencies.js';
import { fail } from '../reasons.js';
import { finishIntent } from './pay-from-credits.js';

/**
 * Cancels its order, drops its change of plan, renews again when due. Idempotent. Throws INVOICE_NOT_FOUND,
 * INVOICE_NOT_PAYABLE if it has payments.
 */
export async function voidInvoice(deps: InvoicingDeps, invoiceId: string): Promise<InvoiceRecord> {
  const { invoices } = deps;
  for (let tries = 0; tries < 20; tries++) {
    const invoice = await invoices.get(invoiceId);
    if (!invoice) throw fail('INVOICE_NOT_FOUND', 'there is no such invoice');
    if (invoice.status === 'void') return dropPendingWork(deps, invoice);
    if (invoice.intent) {
      await finishIntent(deps, invoice, invoice.intent);
      continue;
    }
    if ((invoice.status !== 'unpaid' && invoice.status !== 'overdue') || paidMinor(invoice) > 0) {
      throw fail('INVOICE_NOT_PAYABLE', 'this invoice is paid or has payments');
    }
    const voided = await invoices.changeIf(
      invoiceId,
      { status: [invoice.status], noIntent: true, paymentCount: invoice.payments.length },
      { set: { status: 'void', step: null, stepAt: null } },
    );
    if (voided) return dropPendingWork(deps, voided);
  }
  throw fail('INVOICE_BUSY', 'the invoice changes too fast');
}

async function dropPendingWork(deps: InvoicingDeps, invoice: InvoiceRecord): Promise<InvoiceRecord> {
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
  return invoice;
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
