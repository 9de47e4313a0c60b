import { isAppError } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { MonthSum } from '../domain/usage-charge.js';
import type { SubscriptionRecord } from '../domain/subscription.js';
import type { MeteringDeps } from './dependencies.js';
import { monthOf, monthRange } from '../domain/calendar.js';
import { scaleHalfUp } from '../domain/money.js';
import { taxFor } from '../domain/tax.js';
import { issueInvoice } from '../invoicing/issue-invoices.js';

/** One paid invoice per subscription and month, once complete and paid. */
export async function invoiceUsage(
  deps: MeteringDeps,
  subscription: SubscriptionRecord,
  isFinal: boolean,
): Promise<void> {
  const { usageCharges } = deps;
  const current = monthOf(subscription.meteredUntil ?? deps.clock());
  for (;;) {
    const month = await usageCharges.monthToInvoice(subscription.id);
    if (month === null || (month >= current && !isFinal)) return;
    const sum = await usageCharges.sumOfMonth(subscription.id, month);
    if (sum.openMinor > 0) return;
    const invoiceId = derivedId(subscription.id, `usage ${month}`);
    if (sum.amountMinor > 0) await issueUnlessDeleted(deps, subscription, { id: invoiceId, month, sum });
    await usageCharges.markInvoiced(subscription.id, month, invoiceId);
  }
}

interface UsageOfMonth {
  readonly id: string;
  readonly month: string;
  readonly sum: MonthSum;
}

/** There is no invoice without a customer: otherwise metering would stop at this month. */
async function issueUnlessDeleted(
  deps: MeteringDeps,
  subscription: SubscriptionRecord,
  usage: UsageOfMonth,
): Promise<void> {
  try {
    await issue(deps, subscription, usage);
  } catch (error) {
    if (!isAppError(error, 'USER_NOT_FOUND')) throw error;
    deps.log.warn(
      { subscriptionId: subscription.id, month: usage.month },
      'the usage of a deleted customer has no invoice',
    );
  }
}

async function issue(
  deps: MeteringDeps,
  subscription: SubscriptionRecord,
  { id, month, sum }: UsageOfMonth,
): Promise<void> {
  const at = deps.clock();
  const totalMinor = sum.amountMinor;
  const { start, end } = monthRange(month);
  const tax = taxFor(await deps.profiles.get(subscription.userId), await deps.settings.read(), start);
  // Charges include tax in both modes.
  const taxMinor = scaleHalfUp(totalMinor, tax.basisPoints, 10_000 + tax.basisPoints);
  const netMinor = totalMinor - taxMinor;
  await issueInvoice(deps, {
    id,
    userId: subscription.userId,
    currency: subscription.plan.currency,
    at,
    dueAt: at,
    tax,
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
