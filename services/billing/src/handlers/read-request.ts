import { invalidFields, fieldProblem } from '@panel/kit/errors';
import type { PageQuery } from '@panel/kit/mongo';
import { wordOf } from '@panel/kit/records';
import {
  type CheckoutRequest,
  type Coupon as CouponMessage,
  Coupon_Type,
  type CreateGiftCodesRequest,
  type ImportBankStatementRequest,
  ImportBankStatementRequest_Format,
  Invoice_Status,
  InvoiceDocument_Format,
  type ItemConfig as ConfigMessage,
  ListGiftCodesRequest_Status,
  type Money as MoneyMessage,
  Order_Status,
  type Plan as PlanMessage,
  Plan_Interval,
  type Product as ProductMessage,
  type RefundInvoiceRequest,
  RefundInvoiceRequest_Destination,
  Scope,
  type ServerTemplate as TemplateMessage,
  Service_Status,
  type UpdateCouponRequest,
  type UpdateProductRequest,
  type UpdateServiceRequest,
  UpdateServiceRequest_Action,
} from '@panel/protos/billing';
import type { PageInfo } from '@panel/protos/common';
import type { ItemConfig } from '../domain/cart.js';
import type { CouponFields } from '../domain/check-coupon.js';
import type { NewGiftCodes } from '../domain/check-gift-code.js';
import type { ProductFields } from '../domain/check-product.js';
import type { GiftCodeStatus } from '../domain/gift-code.js';
import type { InvoiceStatus } from '../domain/invoice.js';
import type { OrderStatus } from '../domain/order.js';
import type { Money } from '../domain/payment.js';
import type { AutoStart, Plan, ServerTemplate } from '../domain/product.js';
import type { SubscriptionStatus } from '../domain/subscription.js';
import type { NewCoupon } from '../usecases/coupons/create-coupon.js';
import type { StatementImport } from '../usecases/invoices/import-bank-statement.js';
import type { OperatorRefund } from '../usecases/invoices/refund-paid-invoice.js';
import type { CheckoutInput } from '../usecases/orders/checkout.js';
import type { ListScope } from '../domain/own-or-staff.js';
import type { SubscriptionUpdate } from '../usecases/subscriptions/update-subscription.js';

export function readScope({ scope, userId }: { readonly scope: Scope; readonly userId: string }): ListScope {
  return { isAll: scope === Scope.ALL, userId };
}

export function readInvoiceStatus(status: Invoice_Status): InvoiceStatus | null {
  return wordOf(Invoice_Status, status);
}

export function readOrderStatus(status: Order_Status): OrderStatus | null {
  return wordOf(Order_Status, status);
}

export function readSubscriptionStatus(status: Service_Status): SubscriptionStatus | null {
  return wordOf(Service_Status, status);
}

export function readGiftCodeStatus(status: ListGiftCodesRequest_Status): GiftCodeStatus | null {
  return wordOf(ListGiftCodesRequest_Status, status);
}

export function readNewGiftCodes({ expireTime, amount, ...fields }: CreateGiftCodesRequest): NewGiftCodes {
  return { ...fields, ...readAmount(amount), expiresAt: expireTime ?? null };
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

export function readItemConfig(config: ConfigMessage | undefined): ItemConfig {
  return { serverName: config?.serverName ?? '', environment: { ...config?.environment } };
}

export function readCheckout(request: CheckoutRequest, userId: string): CheckoutInput {
  const { paymentMethod, couponCode, returnUrl, savePaymentMethod, callerCountry, useCredits } = request;
  const items = request.items.map((item) => ({ ...item, config: readItemConfig(item.config) }));
  return { userId, paymentMethod, items, couponCode, returnUrl, savePaymentMethod, callerCountry, useCredits };
}

/** Throws INVALID_FIELDS. */
export function readDocumentFormat(format: InvoiceDocument_Format): 'html' | 'pdf' | 'xml' {
  if (format === InvoiceDocument_Format.HTML) return 'html';
  if (format === InvoiceDocument_Format.PDF) return 'pdf';
  if (format === InvoiceDocument_Format.XML) return 'xml';
  throw invalidFields({ format: [fieldProblem('not_allowed', 'must be html, pdf or xml')] });
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

export function readSubscriptionUpdate(request: UpdateServiceRequest): SubscriptionUpdate {
  const { price, nextDueTime, action, keepInvoicing } = request;
  return {
    price: price ?? null,
    nextDueAt: nextDueTime ?? null,
    action: wordOf(UpdateServiceRequest_Action, action),
    keepsInvoicing: keepInvoicing,
  };
}

export function readStatement({ format, content, columns, dryRun }: ImportBankStatementRequest): StatementImport {
  return {
    format: wordOf(ImportBankStatementRequest_Format, format),
    content,
    columns: columns ?? null,
    isDryRun: dryRun,
  };
}

/** Throws INVALID_FIELDS without a type. */
export function readNewCoupon(coupon: CouponMessage | undefined): NewCoupon {
  const type = coupon && wordOf(Coupon_Type, coupon.type);
  if (!type) throw invalidFields({ type: [fieldProblem('not_allowed', 'must be percent or fixed')] });
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
  if (!product?.server) throw invalidFields({ server: [fieldProblem('required', 'is needed')] });
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
    interval: wordOf(Plan_Interval, plan.interval) ?? 'month',
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
