import { randomUUID } from 'node:crypto';
import { fieldProblem, invalidFields, requireValid } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { counterKey } from '../../domain/new-order.js';
import { checkPaymentMethod } from '../../payments/payment-methods.js';
import { type Plan, planOf, type Product } from '../../domain/product.js';
import { type PlanChange, type SubscriptionRecord, termsOfChange } from '../../domain/subscription.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { addDaysTo, isRecurring } from '../../domain/calendar.js';
import { priceOfRest, takeFrom, type UnusedPart } from '../../domain/paid-period.js';
import { discountOf, isEligible, renewalDiscount } from '../../domain/quote.js';
import { taxFor, withTax } from '../../domain/tax.js';
import { requireNoDebt } from '../../ledger/require-no-debt.js';
import { payCreditDue } from '../../refunds/recover-changes.js';
import { unusedParts } from '../../subscriptions/unused-parts.js';
import { fail } from '../../reasons.js';
import { gatewayPaymentProblems, startGatewayPayment } from '../../payment-events/start-session.js';
import { issueInvoice } from '../../invoicing/issue-invoices.js';
import { payFromCredits } from '../../invoicing/pay-from-credits.js';
import { voidInvoice } from '../../invoicing/void-invoice.js';

interface ChangePlanInput {
  /** Empty: the same product. */
  readonly productId: string;
  readonly planId: string;
  readonly paymentMethod: string;
}

interface ChangePlanOutcome {
  readonly subscription: SubscriptionRecord;
  readonly invoice: InvoiceRecord | null;
  /** Negative: credited, with tax. */
  readonly proratedMinor: number;
  readonly paymentUrl: string;
}

/**
 * For the rest of the period, of which what was paid is worth its share. Plans that cost more than that are invoiced and
 * apply at payment; others at once, and the rest becomes credits.
 */
export async function changePlan(
  context: BillingContext,
  subscription: SubscriptionRecord,
  input: ChangePlanInput,
): Promise<ChangePlanOutcome> {
  checkPaymentMethod(context, input.paymentMethod);
  if (subscription.status !== 'active') throw fail('SERVICE_NOT_ACTIVE', 'only an active service can change its plan');
  if (subscription.change || subscription.creditDue) {
    throw fail('CHANGE_PENDING', 'another change of plan waits for its payment');
  }
  await requireNoDebt(context, subscription.userId);
  const { product, plan } = await findTarget(context, subscription, input);
  const open = await context.invoices.openOfSubscription(subscription.id);
  if (open.some(({ status }) => status === 'overdue')) {
    throw fail('INVOICE_OPEN', 'an invoice of this service is overdue');
  }
  // Invoiced again at the new price.
  for (const invoice of open) await voidInvoice(context, invoice.id);
  const current = (await context.subscriptions.get(subscription.id)) ?? subscription;
  const at = context.clock();
  const parts = await unusedParts(context, current, at);
  const isDiscounted = await isCouponFor(context, current, product);
  const change = {
    productId: product.id,
    productName: product.name,
    plan,
    server: product.server,
    isDiscounted,
    unitId: product.id === current.unit.productId ? '' : randomUUID(),
    requestedAt: at,
  };
  const proratedMinor = await difference(context, current, change, parts);
  const amount = { amountMinor: proratedMinor, currency: plan.currency };
  requireValid(await gatewayPaymentProblems(context, { method: input.paymentMethod, returnUrl: '' }, amount));
  return withUnit(context, current.userId, product, change, async () =>
    proratedMinor > 0
      ? changeWhenPaid(context, current, change, proratedMinor, input.paymentMethod)
      : changeNow(context, current, change, proratedMinor, parts),
  );
}

/** Takes the unit as a checkout does; `change` stores it. Throws INVALID_FIELDS. */
async function withUnit(
  context: BillingContext,
  userId: string,
  product: Product,
  { unitId, requestedAt: at }: Pick<PlanChange, 'unitId' | 'requestedAt'>,
  change: () => Promise<ChangePlanOutcome>,
): Promise<ChangePlanOutcome> {
  const { products, counters, subscriptions, failpoint } = context;
  if (unitId === '') return change();
  const key = counterKey.product(product.id, userId);
  const hold = { id: unitId, quantity: 1, at };
  const end = async (how: 'confirm' | 'release') => {
    await products.stock[how](product.id, unitId);
    await counters[how](key, unitId);
  };
  try {
    const isLeft =
      product.stock === null || (await products.stock.take(product.id, hold, { active: true, stock: { $gte: 1 } }));
    if (!isLeft) throw invalidFields({ product_id: [fieldProblem('insufficient', 'has not enough left in stock')] });
    if (!(await counters.take(key, hold, product.perUserLimit)))
      throw invalidFields({
        product_id: [fieldProblem('insufficient', 'cannot be bought that often by one customer')],
      });
    failpoint('change.held');
    return await change();
  } finally {
    await end((await subscriptions.isUnitKnown(unitId)) ? 'confirm' : 'release');
  }
}

async function findTarget(
  { products }: BillingContext,
  subscription: SubscriptionRecord,
  { productId, planId }: ChangePlanInput,
): Promise<{ readonly product: Product; readonly plan: Plan }> {
  const targetId = productId || subscription.productId;
  const [own, product] = await Promise.all([products.get(subscription.productId), products.get(targetId)]);
  const isAllowed = targetId === subscription.productId || own?.upgradeProductIds.includes(targetId);
  if (!product?.active || !isAllowed)
    throw invalidFields({ product_id: [fieldProblem('not_found', 'is no product this one can change to')] });
  const plan = planOf(product, planId);
  if (!plan) throw invalidFields({ plan_id: [fieldProblem('not_found', 'is no plan of this product')] });
  const { interval, intervalCount, currency } = subscription.plan;
  if (plan.interval !== interval || plan.intervalCount !== intervalCount || plan.currency !== currency) {
    throw invalidFields({ plan_id: [fieldProblem('conflicting', 'must have the same interval and currency')] });
  }
  if (plan.id === subscription.plan.id && targetId === subscription.productId)
    throw invalidFields({ plan_id: [fieldProblem('unchanged', 'is the plan it has')] });
  return { product, plan };
}

/** The service's coupon holds for the product too. */
async function isCouponFor(
  { coupons }: BillingContext,
  { discount, productId }: SubscriptionRecord,
  product: Product,
): Promise<boolean> {
  if (product.id === productId) return discount !== null;
  const coupon = discount && (await coupons.get(discount.couponId));
  return Boolean(coupon && isEligible(coupon, product.id));
}

/** Of the new price and the unused payments. Plans paid once cost the difference of prices, and give nothing back. */
async function difference(
  { settings }: BillingContext,
  subscription: SubscriptionRecord,
  { plan, isDiscounted, requestedAt: at }: Omit<PlanChange, 'invoiceId'>,
  parts: readonly UnusedPart[],
): Promise<number> {
  const { discount, plan: old, anchorAt, nextDueAt, periods } = subscription;
  const { interval, intervalCount } = old;
  if (!isRecurring(interval) || !anchorAt || !nextDueAt) {
    const price = plan.priceMinor - (isDiscounted ? renewalDiscount(discount, plan.priceMinor) : 0);
    return Math.max(0, price - (old.priceMinor - renewalDiscount(discount, old.priceMinor)));
  }
  // A coupon of the current period holds for the rest of it.
  const isOfPeriod = isDiscounted && parts.some(({ period }) => period.isDiscounted);
  const price = plan.priceMinor - (discount && isOfPeriod ? discountOf(discount, plan.priceMinor) : 0);
  const { timezone } = await settings.read();
  const rest = priceOfRest(price, { interval, intervalCount, anchorAt, periods, at, timezone });
  return rest - parts.reduce((sum, { priceMinor }) => sum + priceMinor, 0);
}

async function changeNow(
  context: BillingContext,
  subscription: SubscriptionRecord,
  change: Omit<PlanChange, 'invoiceId'>,
  proratedMinor: number,
  parts: readonly UnusedPart[],
): Promise<ChangePlanOutcome> {
  const { requestedAt: at, unitId } = change;
  const isMoved = unitId !== '';
  const unit = isMoved ? { id: unitId, productId: change.productId } : subscription.unit;
  const { taken, left } = takeFrom(parts, -proratedMinor, at);
  const creditDue = {
    id: derivedId(subscription.id, `change ${subscription.sync.version}`),
    refunds: taken.map(({ part: { period }, totalMinor }) => ({
      invoiceId: period.invoiceId,
      line: period.line,
      amountMinor: totalMinor,
    })),
    reason: `Change to ${change.productName} – ${change.plan.name}`,
  };
  const terms = termsOfChange(subscription, change);
  const changed = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active'], syncVersion: subscription.sync.version, changeInvoiceId: null },
    {
      set: { ...terms, unit, paid: left, ...(taken.length > 0 ? { creditDue } : {}) },
      returnUnits: isMoved ? [subscription.unit] : [],
      syncAt: at,
    },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed');
  context.failpoint('change.made');
  await payCreditDue(context, changed);
  context.runJob('sync-servers');
  const creditedMinor = taken.reduce((sum, { totalMinor }) => sum + totalMinor, 0);
  return { subscription: changed, invoice: null, proratedMinor: -creditedMinor, paymentUrl: '' };
}

async function changeWhenPaid(
  context: BillingContext,
  subscription: SubscriptionRecord,
  change: Omit<PlanChange, 'invoiceId'>,
  proratedMinor: number,
  method: string,
): Promise<ChangePlanOutcome> {
  const { requestedAt: at } = change;
  const invoiceId = randomUUID();
  const waiting = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active'], syncVersion: subscription.sync.version, changeInvoiceId: null },
    { set: { change: { ...change, invoiceId } } },
  );
  if (!waiting) throw fail('SERVICE_CHANGED', 'the service has just changed');
  context.failpoint('change.waiting');
  const settings = await context.settings.read();
  const tax = taxFor(await context.profiles.get(subscription.userId), settings, at);
  const invoice = await issueInvoice(context, {
    id: invoiceId,
    userId: subscription.userId,
    currency: subscription.plan.currency,
    at,
    dueAt: earlier(subscription.nextDueAt, addDaysTo(at, settings.paymentDays)),
    tax,
    items: [
      {
        purpose: 'change',
        description: `Change to ${change.productName} – ${change.plan.name}`,
        subscriptionId: subscription.id,
        productId: change.productId,
        productName: change.productName,
        quantity: 1,
        unitPriceMinor: proratedMinor,
        setupFeeMinor: 0,
        discountMinor: 0,
        ...withTax(proratedMinor, tax),
        periodStart: at,
        periodEnd: subscription.nextDueAt,
      },
    ],
  });
  if (method === 'credits') await payChange(context, invoice);
  const paymentUrl = await startGatewayPayment(context, invoice, { method, returnUrl: '', savePaymentMethod: false });
  return {
    subscription: (await context.subscriptions.get(subscription.id)) ?? waiting,
    invoice: (await context.invoices.get(invoiceId)) ?? invoice,
    proratedMinor,
    paymentUrl,
  };
}

/** Leaves nothing behind without enough credits. Throws INVALID_FIELDS. */
async function payChange(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  if ((await payFromCredits(context, invoice.id)) === 'paid') return;
  await voidInvoice(context, invoice.id);
  throw invalidFields({ credits: [fieldProblem('insufficient', 'are not enough for this')] });
}

function earlier(a: Date | null, b: Date): Date {
  return a && a < b ? a : b;
}
