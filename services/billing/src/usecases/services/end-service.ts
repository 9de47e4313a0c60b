import type { BillingContext } from '../../context.js';
import { isEnded, type ServiceStatus } from '../../domain/service.js';
import { paidMinor } from '../../domain/invoice.js';
import type { ServiceRecord } from '../../models/service.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { mailEntry } from '../mail/mail-entry.js';
import { counterKey } from '../orders/new-order.js';
import { orderIds } from '../orders/order-ids.js';

const running: readonly ServiceStatus[] = ['provisioning', 'active', 'suspended', 'failed'];

/**
 * End a service at once: its server goes, open invoices about it become void. One that waits for its first payment goes
 * with its order. Idempotent; null when there is none. Throws INVOICE_NOT_PAYABLE when that payment has just come.
 */
export async function endService(
  context: BillingContext,
  serviceId: string,
  status: 'cancelled' | 'terminated',
): Promise<ServiceRecord | null> {
  const { services, invoices, clock } = context;
  const at = clock();
  const ended = await services.changeIf(
    serviceId,
    { status: running },
    {
      set: { status, endedAt: at, renewAt: null, change: null, suspendReason: null, returnDue: true },
      syncAt: at,
      mail: mailEntry(serviceId, 'service_ended', at),
    },
  );
  const service = ended ?? (await services.get(serviceId));
  if (service?.status === 'pending') {
    await voidInvoice(context, orderIds.invoice(service.orderId));
    return services.get(serviceId);
  }
  if (!service || !isEnded(service.status)) return service;
  for (const invoice of await invoices.openOfService(serviceId)) {
    // An invoice about several services stays open for the others.
    const isOnlyThis = invoice.items.every((item) => item.serviceId === serviceId && item.quantity === 1);
    if (isOnlyThis && paidMinor(invoice) === 0) await voidInvoice(context, invoice.id);
  }
  context.runJob('sync-servers');
  return service;
}

/** Give the units of ended services back to the stock and to the limit of their customer, once each. */
export async function returnUnits(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { services, products, counters } = context;
  for (const { id, unitProductId, userId } of await services.dueReturns(100)) {
    if (signal.aborted) return;
    await context.attempt('return-units', id, async () => {
      await products.stock.returnUnits(unitProductId, id, 1);
      await counters.returnUnits(counterKey.product(unitProductId, userId), id, 1);
      await services.changeIf(id, {}, { set: { returnDue: false } });
    });
  }
}
