import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { monthOf, monthRange } from '../../domain/calendar.js';
import { scaleHalfUp } from '../../domain/money.js';
import { taxRateFor } from '../../domain/tax.js';
import type { ServiceRecord } from '../../models/service.js';
import type { MonthSum } from '../../models/usage-charge.js';
import { newInvoice } from '../invoices/new-invoice.js';

/**
 * Invoice every month whose usage is known to its end and paid: one invoice a service and month, paid already. Of a service
 * that has ended, what is not paid by then is left out.
 */
export async function invoiceUsage(context: BillingContext, service: ServiceRecord, isFinal: boolean): Promise<void> {
  const { usageCharges } = context;
  const current = monthOf(service.meteredUntil ?? context.clock());
  for (;;) {
    const month = await usageCharges.monthToInvoice(service.id);
    if (month === null || (month >= current && !isFinal)) return;
    const sum = await usageCharges.sumOfMonth(service.id, month);
    if (sum.openMinor > 0 && !isFinal) return;
    const invoiceId = derivedId(service.id, `usage ${month}`);
    if (sum.amountMinor > sum.openMinor) await issue(context, service, { id: invoiceId, month, sum });
    await usageCharges.markInvoiced(service.id, month, invoiceId);
  }
}

async function issue(
  context: BillingContext,
  service: ServiceRecord,
  { id, month, sum }: { readonly id: string; readonly month: string; readonly sum: MonthSum },
): Promise<void> {
  const at = context.clock();
  const totalMinor = sum.amountMinor - sum.openMinor;
  const { country } = await context.profiles.get(service.userId);
  const { basisPoints } = taxRateFor(country, await context.settings.read());
  // Charged with tax, whether prices have it in them or not.
  const taxMinor = scaleHalfUp(totalMinor, basisPoints, 10_000 + basisPoints);
  const netMinor = totalMinor - taxMinor;
  const { start, end } = monthRange(month);
  await newInvoice(context, {
    id,
    userId: service.userId,
    currency: service.plan.currency,
    at,
    dueAt: at,
    payment: { id, method: 'credits', amountMinor: totalMinor, reference: service.id, at },
    items: [
      {
        purpose: 'usage',
        description: `${service.productName} – ${service.plan.name}, usage ${month}`,
        serviceId: service.id,
        productId: service.productId,
        productName: service.productName,
        quantity: 1,
        unitPriceMinor: netMinor,
        setupFeeMinor: 0,
        discountMinor: 0,
        netMinor,
        taxMinor,
        totalMinor,
        periodStart: start,
        periodEnd: end,
      },
    ],
  });
}
