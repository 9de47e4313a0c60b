import { invalidFields, fieldProblem } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { checkPaymentMethod } from '../../payments/payment-methods.js';
import { type Plan, planOf, type Product } from '../../domain/product.js';
import type { PlanChange, SubscriptionRecord } from '../../domain/subscription.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { addDaysTo, endOfPeriod, isRecurring } from '../../domain/calendar.js';
import { prorate } from '../../domain/proration.js';
import { renewalDiscount } from '../../domain/quote.js';
import { taxRateFor, withTax } from '../../domain/tax.js';
import { payCreditDue } from '../../subscriptions/recover-changes.js';
import { fail } from '../../reasons.js';
import { startGatewayPayment } from '../../payment-events/start-session.js';
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
  /** Negative: credited. */
  readonly proratedMinor: number;
  readonly paymentUrl: string;
}

/**
 * For the rest of the period. Dearer plans are invoiced and apply at payment; others at once, with the difference as
 * credits.
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
  const { product, plan } = await findTarget(context, subscription, input);
  const open = await context.invoices.openOfSubscription(subscription.id);
  if (open.some(({ status }) => status === 'overdue')) {
    throw fail('INVOICE_OPEN', 'an invoice of this service is overdue');
  }
  // Invoiced again at the new price.
  for (const invoice of open) await voidInvoice(context, invoice.id);
  const current = (await context.subscriptions.get(subscription.id)) ?? subscription;
  const proratedMinor = await difference(context, current, plan);
  const change = {
    productId: product.id,
    productName: product.name,
    plan,
    server: product.server,
    requestedAt: context.clock(),
  };
  if (proratedMinor > 0) return changeWhenPaid(context, current, change, proratedMinor, input.paymentMethod);
  return changeNow(context, current, change, proratedMinor);
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

/** Prorated; the full difference for a plan paid once. */
async function difference(
  { settings, clock }: BillingContext,
  subscription: SubscriptionRecord,
  plan: Plan,
): Promise<number> {
  const priceOf = (price: number) => price - renewalDiscount(subscription.discount, price);
  const more = priceOf(plan.priceMinor) - priceOf(subscription.plan.priceMinor);
  const { interval, intervalCount } = subscription.plan;
  const { anchorAt, nextDueAt, periods } = subscription;
  if (!isRecurring(interval) || !anchorAt || !nextDueAt) return more;
  const { timezone } = await settings.read();
  const start = endOfPeriod(anchorAt, { interval, intervalCount }, periods - 1, timezone);
  const sign = Math.sign(more);
  return sign * prorate(Math.abs(more), { start, end: nextDueAt }, clock());
}

async function changeNow(
  context: BillingContext,
  subscription: SubscriptionRecord,
  change: Omit<PlanChange, 'invoiceId'>,
  proratedMinor: number,
): Promise<ChangePlanOutcome> {
  const { requestedAt: at, ...terms } = change;
  const id = derivedId(subscription.id, `change ${subscription.sync.version}`);
  const creditDue = proratedMinor < 0 ? { id, amountMinor: -proratedMinor, note: change.productName } : null;
  const changed = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active'], syncVersion: subscription.sync.version, changeInvoiceId: null },
    { set: { ...terms, limitsDue: true, ...(creditDue ? { creditDue } : {}) }, syncAt: at },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed');
  context.failpoint('change.made');
  await payCreditDue(context, changed);
  context.runJob('sync-servers');
  return { subscription: changed, invoice: null, proratedMinor, paymentUrl: '' };
}

async function changeWhenPaid(
  context: BillingContext,
  subscription: SubscriptionRecord,
  change: Omit<PlanChange, 'invoiceId'>,
  proratedMinor: number,
  method: string,
): Promise<ChangePlanOutcome> {
  const { requestedAt: at } = change;
  const invoiceId = derivedId(subscription.id, `change ${change.productId} ${change.plan.id} ${at.getTime()}`);
  const waiting = await context.subscriptions.changeIf(
    subscription.id,
    { status: ['active'], syncVersion: subscription.sync.version, changeInvoiceId: null },
    { set: { change: { ...change, invoiceId } } },
  );
  if (!waiting) throw fail('SERVICE_CHANGED', 'the service has just changed');
  context.failpoint('change.waiting');
  const settings = await context.settings.read();
  const { country } = await context.profiles.get(subscription.userId);
  const invoice = await issueInvoice(context, {
    id: invoiceId,
    userId: subscription.userId,
    currency: subscription.plan.currency,
    at,
    dueAt: earlier(subscription.nextDueAt, addDaysTo(at, settings.paymentDays)),
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
        ...withTax(proratedMinor, taxRateFor(country, settings)),
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
