import { invalidFields } from '@panel/kit/errors';
import type { PageQuery } from '@panel/kit/mongo';
import {
  type CheckoutRequest,
  type Coupon as CouponMessage,
  type Invoice_Status,
  InvoiceDocument_Format,
  type ItemConfig as ConfigMessage,
  type Money as MoneyMessage,
  type Order_Status,
  type Plan as PlanMessage,
  type Product as ProductMessage,
  type RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Scope,
  type ServerTemplate as TemplateMessage,
  type Service_Status,
  type UpdateCouponRequest,
  type UpdateProductRequest,
  type UpdateServiceRequest,
} from '@panel/protos/billing';
import type { PageInfo } from '@panel/protos/common';
import type { ItemConfig } from '../domain/cart.js';
import type { CouponFields } from '../domain/check-coupon.js';
import type { ProductFields } from '../domain/check-product.js';
import { type InvoiceStatus, invoiceStatuses } from '../domain/invoice.js';
import { type OrderStatus, orderStatuses } from '../domain/order.js';
import type { Money } from '../domain/payment.js';
import { type AutoStart, type Plan, planIntervals, type ServerTemplate } from '../domain/product.js';
import { type SubscriptionStatus, subscriptionStatuses } from '../domain/subscription.js';
import { wordOf } from '../present/words.js';
import type { NewCoupon } from '../usecases/coupons/create-coupon.js';
import type { OperatorRefund } from '../usecases/invoices/refund-paid-invoice.js';
import type { CheckoutInput } from '../usecases/orders/checkout.js';
import type { ListScope } from '../usecases/own-or-staff.js';
import type { SubscriptionUpdate } from '../usecases/subscriptions/update-subscription.js';

/** Lists omit undecided orders. */
const listedOrderStatuses = orderStatuses.filter((status) => status !== 'placing');

export function readScope({ scope, userId }: { readonly scope: Scope; readonly userId: string }): ListScope {
  return { isAll: scope === Scope.ALL, userId };
}

export function readInvoiceStatus(status: Invoice_Status): InvoiceStatus | null {
  return wordOf(status, 'STATUS_', invoiceStatuses);
}

export function readOrderStatus(status: Order_Status): OrderStatus | null {
  return wordOf(status, 'STATUS_', listedOrderStatuses);
}

export function readSubscriptionStatus(status: Service_Status): SubscriptionStatus | null {
  return wordOf(status, 'STATUS_', subscriptionStatuses);
}

export function pageInfo({ page, perPage }: PageQuery, total: number): PageInfo {
  return { page, perPage, total };
}

export function readAmount(amount: MoneyMessage | undefined): Money {
  return { amountMinor: amount?.amountMinor ?? 0, currency: amount?.currency ?? '' };
}

export function readHeaders(headers: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}

export function readConfig(config: ConfigMessage | undefined): ItemConfig {
  return { serverName: config?.serverName ?? '', environment: { ...config?.environment } };
}

export function readCheckout(request: CheckoutRequest, userId: string): CheckoutInput {
  const { paymentMethod, couponCode, returnUrl, savePaymentMethod } = request;
  const items = request.items.map((item) => ({ ...item, config: readConfig(item.config) }));
  return { userId, paymentMethod, items, couponCode, returnUrl, savePaymentMethod };
}

/** Throws INVALID_FIELDS. */
export function readDocumentFormat(format: InvoiceDocument_Format): 'html' | 'pdf' {
  if (format === InvoiceDocument_Format.HTML) return 'html';
  if (format === InvoiceDocument_Format.PDF) return 'pdf';
  throw invalidFields({ format: ['must be html or pdf'] });
}

export function readRefund({ amount, destination, reason, cancelServices }: RefundInvoiceRequest): OperatorRefund {
  const isOriginal = destination === RefundInvoiceRequest_Destination.ORIGINAL;
  return {
    amount: amount ?? null,
    destination: isOriginal ? 'original' : 'credits',
    reason,
    cancelSubscriptions: cancelServices,
  };
}

export function readSubscriptionUpdate({ price, nextDueTime, action }: UpdateServiceRequest): SubscriptionUpdate {
  return {
    price: price ?? null,
    nextDueAt: nextDueTime ?? null,
    action: wordOf(action, 'ACTION_', ['suspend', 'unsuspend', 'terminate']),
  };
}

/** Throws INVALID_FIELDS without a type. */
export function readNewCoupon(coupon: CouponMessage | undefined): NewCoupon {
  const type = coupon && wordOf(coupon.type, 'TYPE_', ['percent', 'fixed']);
  if (!type) throw invalidFields({ type: ['must be percent or fixed'] });
  return {
    type,
    value: coupon.value,
    currency: coupon.currency,
    code: coupon.code,
    productIds: coupon.productIds,
    maxUses: coupon.maxUses ?? null,
    maxUsesPerUser: coupon.maxUsesPerUser ?? null,
    recurring: coupon.recurring ?? null,
    startsAt: coupon.startTime ?? null,
    expiresAt: coupon.expireTime ?? null,
  };
}

/** Undefined: not given; null removes a limit. */
export function readCouponChanges(request: UpdateCouponRequest): Partial<CouponFields> & { value: number | undefined } {
  return {
    value: request.value,
    ...defined({
      code: request.code,
      productIds: request.productIds?.productIds,
      maxUses: readOptional(request.maxUses),
      maxUsesPerUser: readOptional(request.maxUsesPerUser),
      recurring: readOptional(request.recurring),
      startsAt: readOptional(request.startTime),
      expiresAt: readOptional(request.expireTime),
    }),
  };
}

/** Throws INVALID_FIELDS without a server. */
export function readNewProduct(product: ProductMessage | undefined): ProductFields {
  if (!product?.server) throw invalidFields({ server: ['is needed'] });
  const { name, slug, description, category, active, upgradeProductIds } = product;
  return {
    name,
    slug,
    description,
    category,
    active,
    stock: product.stock ?? null,
    perUserLimit: product.perUserLimit ?? null,
    plans: product.plans.map(readPlan),
    server: readTemplate(product.server),
    upgradeProductIds,
  };
}

export function readProductChanges(request: UpdateProductRequest): Partial<ProductFields> {
  const { name, slug, description, category, active } = request;
  return defined({
    name,
    slug,
    description,
    category,
    active,
    stock: readOptional(request.stock),
    perUserLimit: readOptional(request.perUserLimit),
    plans: request.plans?.plans.map(readPlan),
    server: request.server && readTemplate(request.server),
    upgradeProductIds: request.upgradeProductIds?.productIds,
  });
}

/** Undefined: not given; null: removed. */
function readOptional<T>(field: { readonly value?: T | undefined } | undefined): T | null | undefined {
  return field && (field.value ?? null);
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

function readPlan(plan: PlanMessage): Plan {
  return {
    id: plan.id,
    name: plan.name,
    priceMinor: plan.price?.amountMinor ?? 0,
    setupFeeMinor: plan.setupFee?.amountMinor ?? 0,
    // Mixed currencies give an invalid one: validation refuses it.
    currency: plan.setupFee && plan.setupFee.currency !== plan.price?.currency ? '' : (plan.price?.currency ?? ''),
    interval: wordOf(plan.interval, 'INTERVAL_', planIntervals) ?? 'month',
    intervalCount: plan.intervalCount || 1,
    usageRates: plan.usageRates ?? null,
  };
}

function readTemplate(template: TemplateMessage): ServerTemplate {
  const { dockerImage, environment, nodeTags, autoStart, ...limits } = template;
  return {
    ...limits,
    autoStart: autoStart === undefined ? undefined : (autoStart as AutoStart), // validated later
    nodeTags: [...nodeTags],
    environment: { ...environment },
    dockerImage: dockerImage === '' ? null : dockerImage,
  };
}
