import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { monthOf, monthRange } from '../../domain/calendar.js';
import { scaleHalfUp } from '../../domain/money.js';
import { taxRateFor } from '../../domain/tax.js';
import type { SubscriptionRecord } from '../../models/subscription.js';
import type { MonthSum } from '../../models/usage-charge.js';
import { newInvoice } from '../invoices/new-invoice.js';

/**
 * Invoice every month whose usage is known to its end and paid: one invoice a subscription and month, paid already. Of a subscription
 * that has ended, what is not paid by then is left out.
 */
export async function invoiceUsage(
  context: BillingContext,
  subscription: SubscriptionRecord,
  isFinal: boolean,
): Promise<void> {
  const { usageCharges } = context;
  const current = monthOf(subscription.meteredUntil ?? context.clock());
  for (;;) {
    const month = await usageCharges.monthToInvoice(subscription.id);
    if (month === null || (month >= current && !isFinal)) return;
    const sum = await usageCharges.sumOfMonth(subscription.id, month);
    if (sum.openMinor > 0 && !isFinal) return;
    const invoiceId = derivedId(subscription.id, `usage ${month}`);
    if (sum.amountMinor > sum.openMinor) await issue(context, subscription, { id: invoiceId, month, sum });
    await usageCharges.markInvoiced(subscription.id, month, invoiceId);
  }
}

async function issue(
  context: BillingContext,
  subscription: SubscriptionRecord,
  { id, month, sum }: { readonly id: string; readonly month: string; readonly sum: MonthSum },
): Promise<void> {
  const at = context.clock();
  const totalMinor = sum.amountMinor - sum.openMinor;
  const { country } = await context.profiles.get(subscription.userId);
  const { basisPoints } = taxRateFor(country, await context.settings.read());
  // Charged with tax, whether prices have it in them or not.
  const taxMinor = scaleHalfUp(totalMinor, basisPoints, 10_000 + basisPoints);
  const netMinor = totalMinor - taxMinor;
  const { start, end } = monthRange(month);
  await newInvoice(context, {
    id,
    userId: subscription.userId,
    currency: subscription.plan.currency,
    at,
    dueAt: at,
    payment: { id, method: 'credits', amountMinor: totalMinor, reference: subscription.id, at },
    items: [
      {
        purpose: 'usage',
        description: `${subscription.productName} – ${subscription.plan.name}, usage ${month}`,
        subscriptionId: subscription.id,
        productId: subscription.productId,
        productName: subscription.productName,
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
