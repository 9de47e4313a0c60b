import { randomUUID } from 'node:crypto';
import { invalidFields, isAppError } from '@panel/kit/errors';
import { derivedId } from '@panel/rpc';
import { configProblems } from '../../domain/check-item-config.js';
import { checkPaymentMethod } from '../../payments/payment-methods.js';
import type { SubscriptionRecord } from '../../domain/subscription.js';
import type { OrderRecord } from '../../domain/order.js';
import type { InvoiceRecord } from '../../domain/invoice.js';
import type { BillingContext } from '../../context.js';
import { fail } from '../../reasons.js';
import { startGatewayPayment } from '../../payment-events/start-session.js';
import { loadCustomer } from '../../customers/load-customers.js';
import { fulfilOrder } from '../../fulfilment/fulfil-order.js';
import { newOrder } from '../../domain/new-order.js';
import { orderIds } from '../../domain/order-ids.js';
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
}

export interface CheckoutOutcome {
  readonly order: OrderRecord;
  readonly invoice: InvoiceRecord;
  readonly subscriptions: readonly SubscriptionRecord[];
  readonly paymentUrl: string;
}

/**
 * Buy. The order is stored first, undecided; then it takes what is limited, then the credits; the write that makes it
 * `pending` or `paid` decides. A process that dies before that leaves an order that any process undoes after its time;
 * one that dies after it leaves work that any process finishes. With an idempotency id every repetition finds the same
 * order.
 */
export async function checkout(
  context: BillingContext,
  input: CheckoutInput,
  idempotencyId: string = randomUUID(),
): Promise<CheckoutOutcome> {
  const problems = input.items.map(({ config }, index) => configProblems(config, `items.${index}.config.`));
  if (problems.some((each) => Object.keys(each).length > 0)) throw invalidFields(Object.assign({}, ...problems));
  checkPaymentMethod(context, input.paymentMethod);
  // An attempt that failed has left its id to a failed order; every repetition comes to the same next one.
  for (let id = idempotencyId; ; id = derivedId(id, 'next')) {
    const existing = await context.orders.get(id);
    if (!existing) return outcome(context, await placeOrder(context, input, id), input);
    if (existing.status === 'placing') await undoExpired(context, existing);
    else if (existing.status !== 'failed') return outcome(context, existing, input);
  }
}

/** Throws CHECKOUT_IN_PROGRESS while the process that has started it may still decide. */
async function undoExpired(context: BillingContext, order: OrderRecord): Promise<void> {
  if (order.placeBy > context.clock()) throw fail('CHECKOUT_IN_PROGRESS', 'this purchase is just being made');
  await undoOrder(context, order);
}

async function placeOrder(context: BillingContext, input: CheckoutInput, id: string): Promise<OrderRecord> {
  const order = await prepareOrder(context, input, id);
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
  await fulfilOrder(context, decided);
  return decided;
}

async function prepareOrder(context: BillingContext, input: CheckoutInput, id: string): Promise<OrderRecord> {
  const { carts, settings: reader, sequences, clock } = context;
  const { userId, paymentMethod } = input;
  const at = clock();
  const cart = input.items.length > 0 ? null : await carts.get(userId);
  if (cart && cart.items.length === 0) throw invalidFields({ cart: ['is empty'] });
  const settings = await reader.read();
  const priced = await priceItems(context, {
    userId,
    items: cart?.items ?? input.items,
    couponCode: cart?.couponCode ?? input.couponCode,
    settings,
    at,
    prefix: 'items.',
  });
  const isMetered = priced.quote.items.some(({ plan }) => plan.interval === 'metered');
  if (isMetered && (await context.credits.balance(userId, priced.currency)) <= 0) {
    throw invalidFields({ credits: ['must be above 0 for a plan that is paid by usage'] });
  }
  const customer = await loadCustomer(context, userId);
  const number = `ORD-${String(await sequences.next('order')).padStart(6, '0')}`;
  return newOrder({
    id,
    number,
    userId,
    priced,
    customer,
    settings,
    paymentMethod,
    cartKey: cart && `${cart.id}:${cart.version}`,
    cartItemIds: cart?.items.map((item) => item.id) ?? [],
    at,
  });
}

/** Take everything and decide; null when another process has decided that it took too long. Throws INVALID_FIELDS. */
async function decideOrder(context: BillingContext, order: OrderRecord): Promise<OrderRecord | null> {
  const { credits, orders, clock, failpoint } = context;
  await takeHolds(context, order, clock());
  failpoint('checkout.held');
  const isFree = order.totalMinor === 0;
  const isFromCredits = order.paymentMethod === 'credits' && !isFree;
  if (isFromCredits && (await credits.post(debitOf(order, clock()))) !== 'posted') {
    throw invalidFields({ credits: ['are not enough for this'] });
  }
  failpoint('checkout.debited');
  return orders.decide(order.id, isFree || isFromCredits ? 'paid' : 'pending', clock());
}

async function outcome(context: BillingContext, order: OrderRecord, input: CheckoutInput): Promise<CheckoutOutcome> {
  if (order.workDueAt) await fulfilOrder(context, order);
  const invoice = await context.invoices.get(orderIds.invoice(order.id));
  const current = await context.orders.get(order.id);
  if (!invoice || !current) throw new Error('a fulfilled order has no invoice');
  const paymentUrl = await paymentUrlOf(context, order, invoice, input);
  const subscriptions = await context.subscriptions.ofOrder(order.id);
  return { order: current, invoice: (await context.invoices.get(invoice.id)) ?? invoice, subscriptions, paymentUrl };
}

/** Empty when the gateway does not answer: the order stands, and its invoice can be paid later. */
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
