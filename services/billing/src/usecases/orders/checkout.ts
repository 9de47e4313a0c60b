import { randomUUID } from 'node:crypto';
import { fieldProblem, invalidFields, isAppError, requireValid } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import type { Cart } from '../../domain/cart.js';
import type { PricedOrder } from '../../domain/priced-order.js';
import { configProblems } from '../../domain/check-item-config.js';
import { paymentMethodProblems } from '../../payments/payment-methods.js';
import type { SubscriptionRecord } from '../../domain/subscription.js';
import type { OrderRecord } from '../../domain/order.js';
import { type InvoiceRecord, isPayable } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { gatewayPaymentProblems, startGatewayPayment } from '../../payment-events/start-session.js';
import { loadCustomer } from '../../customers/load-customers.js';
import { type Fulfilled, fulfilOrder } from '../../fulfilment/fulfil-order.js';
import { payFromCredits } from '../../invoicing/pay-from-credits.js';
import { newOrder } from '../../domain/new-order.js';
import { orderIds } from '../../domain/order-ids.js';
import { costOfDay } from '../../domain/usage-deposit.js';
import { requireNoDebt } from '../../ledger/require-no-debt.js';
import { priceItems, type RequestedItem } from './price-items.js';
import { takeHolds } from '../../fulfilment/take-holds.js';
import { debitOf, undoOrder } from '../../fulfilment/undo-order.js';

export interface CheckoutInput {
  readonly userId: string;
  readonly paymentMethod: string;
  /** Empty: the cart. */
  readonly items: readonly RequestedItem[];
  readonly couponCode: string;
  readonly returnUrl: string;
  readonly savePaymentMethod: boolean;
  /** What a gateway is paid through is what they leave. Absent: false. */
  readonly useCredits?: boolean;
  /** ISO 3166-1 alpha-2; absent or empty: unknown. */
  readonly callerCountry?: string;
}

interface CheckoutOutcome {
  readonly order: OrderRecord;
  readonly invoice: InvoiceRecord;
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly paymentUrl: string;
}

/**
 * Stores the undecided order, takes limited units, then credits; the write of `pending` or `paid` decides. After a
 * crash any process undoes an expired order or completes a decided one. Idempotent by id.
 */
export async function checkout(
  context: BillingContext,
  input: CheckoutInput,
  idempotencyId: string = randomUUID(),
): Promise<CheckoutOutcome> {
  const problems = input.items.map(({ config }, index) => configProblems(config, `items.${index}.config.`));
  requireValid(Object.assign(paymentMethodProblems(context, input.paymentMethod), ...problems));
  // Failed attempts keep their id; repetitions derive the same next one.
  for (let id = idempotencyId; ; id = derivedId(id, 'next')) {
    // In parallel: existing orders are rare.
    const [existing, cart] = await Promise.all([context.orders.get(id), readCart(context, input)]);
    if (!existing) return outcome(context, await placeOrder(context, input, id, cart), input);
    if (existing.status === 'placing') await undoExpired(context, existing);
    else if (existing.status !== 'failed') return outcome(context, await loadFulfilled(context, existing), input);
  }
}

/** Null: purchase without a cart. */
async function readCart({ carts }: BillingContext, { items, userId }: CheckoutInput): Promise<Cart | null> {
  return items.length > 0 ? null : carts.get(userId);
}

async function loadFulfilled(context: BillingContext, order: OrderRecord): Promise<Fulfilled> {
  if (order.workDueAt) return fulfilOrder(context, order);
  const [invoice, subscriptions] = await Promise.all([
    context.invoices.get(orderIds.invoice(order.id)),
    context.subscriptions.ofOrder(order.id),
  ]);
  if (!invoice) throw new Error('a fulfilled order has no invoice');
  return { order, invoice, subscriptions };
}

/** Throws CHECKOUT_IN_PROGRESS before its deadline. */
async function undoExpired(context: BillingContext, order: OrderRecord): Promise<void> {
  if (order.placeBy > context.clock()) throw fail('CHECKOUT_IN_PROGRESS', 'this purchase is just being made');
  await undoOrder(context, order);
}

async function placeOrder(
  context: BillingContext,
  input: CheckoutInput,
  id: string,
  cart: Cart | null,
): Promise<Fulfilled> {
  const order = await prepareOrder(context, input, id, cart);
  context.failpoint('checkout.prepared');
  if (!(await context.orders.insertIfAbsent(order))) {
    throw fail('CART_CHANGED', 'the cart was bought or is just being bought by another request');
  }
  context.failpoint('checkout.stored');
  let decided: OrderRecord | null;
  try {
    decided = await decideOrder(context, order);
  } catch (error) {
    await undoOrder(context, order);
    throw error;
  }
  if (!decided) {
    await undoOrder(context, order);
    throw fail('CHECKOUT_INTERRUPTED', 'the purchase took too long; nothing was charged');
  }
  context.failpoint('checkout.decided');
  return fulfilOrder(context, decided);
}

async function prepareOrder(
  context: BillingContext,
  input: CheckoutInput,
  id: string,
  cart: Cart | null,
): Promise<OrderRecord> {
  const { settings: reader, sequences, clock } = context;
  const { userId, paymentMethod } = input;
  const at = clock();
  if (cart && cart.items.length === 0) throw invalidFields({ cart: [fieldProblem('too_short', 'is empty')] });
  const settings = await reader.read();
  const wanted = {
    userId,
    items: cart?.items ?? input.items,
    couponCode: cart?.couponCode ?? input.couponCode,
    isCodeTyped: cart === null,
  };
  const [priced, customer] = await Promise.all([
    priceItems(context, { ...wanted, settings, at, prefix: cart ? 'cart.items.' : 'items.' }),
    loadCustomer(context, userId),
    requireNoDebt(context, userId),
  ]);
  const { currency } = priced;
  const creditsMinor = input.useCredits ? await context.credits.balance(userId, currency) : 0;
  const amountMinor = Math.max(0, priced.quote.totalMinor - Math.max(0, creditsMinor));
  const amount = { amountMinor, currency };
  requireValid(await gatewayPaymentProblems(context, { method: paymentMethod, returnUrl: input.returnUrl }, amount));
  await requireUsageCredits(context, userId, priced);
  const number = `ORD-${String(await sequences.next('order')).padStart(6, '0')}`;
  return newOrder({
    id,
    number,
    userId,
    priced,
    customer,
    settings,
    paymentMethod,
    callerCountry: input.callerCountry ?? '',
    cartKey: cart && `${cart.id}:${cart.version}`,
    cartItemIds: cart?.items.map((item) => item.id) ?? [],
    at,
  });
}

/** For metered plans, of a day. Throws INVALID_FIELDS. */
async function requireUsageCredits({ credits }: BillingContext, userId: string, priced: PricedOrder): Promise<void> {
  const dayMinor = costOfDay(priced.quote.items, priced.tax);
  if (dayMinor > 0 && (await credits.balance(userId, priced.currency)) < dayMinor) {
    const message = `must be at least ${dayMinor} in minor units, for a day of the plans that are paid by usage`;
    throw invalidFields({ credits: [fieldProblem('insufficient', message)] });
  }
}

/** Null: undone by another process after the deadline. Throws INVALID_FIELDS. */
async function decideOrder(context: BillingContext, order: OrderRecord): Promise<OrderRecord | null> {
  const { credits, orders, clock, failpoint } = context;
  await takeHolds(context, order, clock());
  failpoint('checkout.held');
  const isFree = order.totalMinor === 0;
  const isFromCredits = order.paymentMethod === 'credits' && !isFree;
  if (isFromCredits && (await credits.post(debitOf(order, clock()))) !== 'posted') {
    throw invalidFields({ credits: [fieldProblem('insufficient', 'are not enough for this')] });
  }
  failpoint('checkout.debited');
  return orders.decide(order.id, isFree || isFromCredits ? 'paid' : 'pending', clock());
}

async function outcome(context: BillingContext, fulfilled: Fulfilled, input: CheckoutInput): Promise<CheckoutOutcome> {
  const { order, invoice } = fulfilled;
  const isByGateway = isPayable(invoice) && context.gateways.has(order.paymentMethod);
  const isPartPaid = isByGateway && input.useCredits === true;
  if (isPartPaid) await payFromCredits(context, invoice.id, true);
  const open = (isPartPaid && (await context.invoices.get(invoice.id))) || invoice;
  const paymentUrl = await paymentUrlOf(context, order, open, input);
  const isUnchanged = !isByGateway;
  // A gateway may have paid it at once.
  const current = isUnchanged ? fulfilled : await loadFulfilled(context, order);
  return { ...current, paymentUrl };
}

/** Empty: gateway unavailable, payable later. */
async function paymentUrlOf(
  context: BillingContext,
  order: OrderRecord,
  invoice: InvoiceRecord,
  { returnUrl, savePaymentMethod }: CheckoutInput,
): Promise<string> {
  try {
    return await startGatewayPayment(context, invoice, { method: order.paymentMethod, returnUrl, savePaymentMethod });
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'unavailable') throw error;
    context.log.warn({ err: error, orderId: order.id }, 'the payment gateway is unavailable, the invoice stays unpaid');
    return '';
  }
}
