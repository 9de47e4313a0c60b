import { invalidFields } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { BillingContext } from '../../context.js';
import { addDaysTo, endOfPeriod, isRecurring } from '../../domain/calendar.js';
import type { Plan, Product } from '../../domain/product.js';
import { prorate } from '../../domain/proration.js';
import { renewalDiscount } from '../../domain/quote.js';
import type { PlanChange } from '../../domain/service.js';
import { taxRateFor, withTax } from '../../domain/tax.js';
import type { InvoiceRecord } from '../../models/invoice.js';
import type { ServiceRecord } from '../../models/service.js';
import { fail } from '../../reasons.js';
import { startGatewayPayment } from '../invoices/gateway-payment.js';
import { newInvoice } from '../invoices/new-invoice.js';
import { payFromCredits } from '../invoices/pay-from-credits.js';
import { voidInvoice } from '../invoices/void-invoice.js';
import { planOf } from '../orders/price-items.js';
import { checkPaymentMethod } from '../payments/payment-methods.js';

export interface ChangePlanInput {
  /** Empty: the same product. */
  readonly productId: string;
  readonly planId: string;
  readonly paymentMethod: string;
}

export interface ChangePlanOutcome {
  readonly service: ServiceRecord;
  readonly invoice: InvoiceRecord | null;
  /** Negative: what was credited. */
  readonly proratedMinor: number;
  readonly paymentUrl: string;
}

/**
 * Change to another plan for the rest of the period. What is dearer is invoiced and takes effect with the payment; what is
 * not takes effect at once, and the difference becomes credits. The server follows.
 */
export async function changePlan(
  context: BillingContext,
  service: ServiceRecord,
  input: ChangePlanInput,
): Promise<ChangePlanOutcome> {
  checkPaymentMethod(context, input.paymentMethod);
  if (service.status !== 'active') throw fail('SERVICE_NOT_ACTIVE', 'only an active service can change its plan');
  if (service.change || service.creditDue) {
    throw fail('CHANGE_PENDING', 'another change of plan waits for its payment');
  }
  const { product, plan } = await findTarget(context, service, input);
  const open = await context.invoices.openOfService(service.id);
  if (open.some(({ status }) => status === 'overdue')) {
    throw fail('INVOICE_OPEN', 'an invoice of this service is overdue');
  }
  // The renewal of the old plan is invoiced again at the price of the new one.
  for (const invoice of open) await voidInvoice(context, invoice.id);
  const current = (await context.services.get(service.id)) ?? service;
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
  service: ServiceRecord,
  { productId, planId }: ChangePlanInput,
): Promise<{ readonly product: Product; readonly plan: Plan }> {
  const targetId = productId || service.productId;
  const [own, product] = await Promise.all([products.get(service.productId), products.get(targetId)]);
  const isAllowed = targetId === service.productId || own?.upgradeProductIds.includes(targetId);
  if (!product?.active || !isAllowed) throw invalidFields({ product_id: ['is no product this one can change to'] });
  const plan = planOf(product, planId);
  if (!plan) throw invalidFields({ plan_id: ['is no plan of this product'] });
  const { interval, intervalCount, currency } = service.plan;
  if (plan.interval !== interval || plan.intervalCount !== intervalCount || plan.currency !== currency) {
    throw invalidFields({ plan_id: ['must have the same interval and currency'] });
  }
  if (plan.id === service.plan.id && targetId === service.productId)
    throw invalidFields({ plan_id: ['is the plan it has'] });
  return { product, plan };
}

/** What the rest of the period costs more, or less, by the new plan; of a plan paid once, all of it. */
async function difference({ settings, clock }: BillingContext, service: ServiceRecord, plan: Plan): Promise<number> {
  const priceOf = (price: number) => price - renewalDiscount(service.discount, price);
  const more = priceOf(plan.priceMinor) - priceOf(service.plan.priceMinor);
  const { interval, intervalCount } = service.plan;
  const { anchorAt, nextDueAt, periods } = service;
  if (!isRecurring(interval) || !anchorAt || !nextDueAt) return more;
  const { timezone } = await settings.read();
  const start = endOfPeriod(anchorAt, { interval, intervalCount }, periods - 1, timezone);
  const sign = Math.sign(more);
  return sign * prorate(Math.abs(more), { start, end: nextDueAt }, clock());
}

async function changeNow(
  context: BillingContext,
  service: ServiceRecord,
  change: Omit<PlanChange, 'invoiceId'>,
  proratedMinor: number,
): Promise<ChangePlanOutcome> {
  const { requestedAt: at, ...terms } = change;
  const id = derivedId(service.id, `change ${service.sync.version}`);
  const creditDue = proratedMinor < 0 ? { id, amountMinor: -proratedMinor, note: change.productName } : null;
  const changed = await context.services.changeIf(
    service.id,
    { status: ['active'], syncVersion: service.sync.version, changeInvoiceId: null },
    { set: { ...terms, limitsDue: true, ...(creditDue ? { creditDue } : {}) }, syncAt: at },
  );
  if (!changed) throw fail('SERVICE_CHANGED', 'the service has just changed');
  context.failpoint('change.made');
  await payCreditDue(context, changed);
  context.runJob('sync-servers');
  return { service: changed, invoice: null, proratedMinor, paymentUrl: '' };
}

async function changeWhenPaid(
  context: BillingContext,
  service: ServiceRecord,
  change: Omit<PlanChange, 'invoiceId'>,
  proratedMinor: number,
  method: string,
): Promise<ChangePlanOutcome> {
  const { requestedAt: at } = change;
  const invoiceId = derivedId(service.id, `change ${change.productId} ${change.plan.id} ${at.getTime()}`);
  const waiting = await context.services.changeIf(
    service.id,
    { status: ['active'], syncVersion: service.sync.version, changeInvoiceId: null },
    { set: { change: { ...change, invoiceId } } },
  );
  if (!waiting) throw fail('SERVICE_CHANGED', 'the service has just changed');
  context.failpoint('change.waiting');
  const settings = await context.settings.read();
  const { country } = await context.profiles.get(service.userId);
  const invoice = await newInvoice(context, {
    id: invoiceId,
    userId: service.userId,
    currency: service.plan.currency,
    at,
    dueAt: earlier(service.nextDueAt, addDaysTo(at, settings.paymentDays)),
    items: [
      {
        purpose: 'change',
        description: `Change to ${change.productName} – ${change.plan.name}`,
        serviceId: service.id,
        productId: change.productId,
        productName: change.productName,
        quantity: 1,
        unitPriceMinor: proratedMinor,
        setupFeeMinor: 0,
        discountMinor: 0,
        ...withTax(proratedMinor, taxRateFor(country, settings)),
        periodStart: at,
        periodEnd: service.nextDueAt,
      },
    ],
  });
  if (method === 'credits') await payChange(context, invoice);
  const paymentUrl = await startGatewayPayment(context, invoice, { method, returnUrl: '', savePaymentMethod: false });
  return {
    service: (await context.services.get(service.id)) ?? waiting,
    invoice: (await context.invoices.get(invoiceId)) ?? invoice,
    proratedMinor,
    paymentUrl,
  };
}

/** Without enough credits nothing is left behind. Throws INVALID_FIELDS. */
async function payChange(context: BillingContext, invoice: InvoiceRecord): Promise<void> {
  if ((await payFromCredits(context, invoice.id)) === 'paid') return;
  await voidInvoice(context, invoice.id);
  throw invalidFields({ credits: ['are not enough for this'] });
}

function earlier(a: Date | null, b: Date): Date {
  return a && a < b ? a : b;
}

/** Longer than any request lives. */
const lostChangeMs = 10 * 60_000;

/** Changes whose process died: credits that are still due are posted, and what never got its invoice is dropped. */
export async function recoverChanges(context: BillingContext, signal: AbortSignal): Promise<void> {
  const { services, invoices, clock, attempt } = context;
  for (const service of await services.dueCredits(100)) {
    if (signal.aborted) return;
    await attempt('recover-changes', service.id, async () => payCreditDue(context, service));
  }
  for (const { id, change } of await services.waitingChanges(new Date(clock().getTime() - lostChangeMs), 100)) {
    if (signal.aborted) return;
    await attempt('recover-changes', id, async () => {
      if (!change || (await invoices.get(change.invoiceId))) return;
      await services.changeIf(id, { changeInvoiceId: change.invoiceId }, { set: { change: null } });
    });
  }
}

async function payCreditDue(context: BillingContext, service: ServiceRecord): Promise<void> {
  const { creditDue } = service;
  if (!creditDue) return;
  const { id, amountMinor, note } = creditDue;
  await context.credits.post({
    id,
    userId: service.userId,
    currency: service.plan.currency,
    amountMinor,
    reason: 'proration',
    note,
    reference: service.id,
    createdAt: context.clock(),
  });
  await context.services.changeIf(service.id, { creditDueId: id }, { set: { creditDue: null } });
}
