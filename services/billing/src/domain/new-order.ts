import type { Customer } from './profile.js';
import type { OrderHold, OrderItem, OrderRecord } from './order.js';
import { addDaysTo } from './calendar.js';
import { documentLanguageOf } from './language.js';
import { discountOfUnit } from './quote.js';
import type { BillingSettings } from './settings.js';
import { placeEvidence } from './place-evidence.js';
import type { PricedOrder } from './priced-order.js';
import { taxFactsOf } from './tax.js';

/** Then other processes undo the checkout. Longer than any call. */
const placeMs = 30_000;

interface NewOrder {
  readonly id: string;
  readonly number: string;
  readonly userId: string;
  readonly priced: PricedOrder;
  readonly customer: Customer;
  readonly settings: BillingSettings;
  readonly paymentMethod: string;
  /** Empty: unknown. */
  readonly callerCountry: string;
  readonly cartKey: string | null;
  readonly cartItemIds: readonly string[];
  readonly at: Date;
}

export function newOrder(request: NewOrder): OrderRecord {
  const { priced, settings, at } = request;
  const { quote, coupon, tax, currency, profile } = priced;
  const { email, name } = request.customer;
  return {
    id: request.id,
    number: request.number,
    userId: request.userId,
    status: 'placing',
    currency,
    items: quote.items.map((item): OrderItem => ({
      productId: item.product.id,
      productName: item.product.name,
      plan: item.plan,
      server: item.product.server,
      quantity: item.quantity,
      config: item.config,
      subtotalMinor: item.subtotalMinor,
      discountMinor: item.discountMinor,
      netMinor: item.netMinor,
      taxMinor: item.taxMinor,
      totalMinor: item.totalMinor,
      unitDiscount: discountOfUnit(coupon, item),
    })),
    subtotalMinor: quote.subtotalMinor,
    discountMinor: quote.discountMinor,
    taxMinor: quote.taxMinor,
    totalMinor: quote.totalMinor,
    taxRateBasisPoints: tax.basisPoints,
    taxInclusive: tax.isInclusive,
    tax: taxFactsOf(tax),
    ...(settings.taxScheme === 'eu'
      ? { evidence: placeEvidence({ billing: profile.country, ip: request.callerCountry }) }
      : {}),
    couponId: coupon?.id ?? '',
    couponCode: coupon?.code ?? '',
    paymentMethod: request.paymentMethod,
    customer: {
      name: profile.name || name,
      email,
      company: profile.company,
      address: profile.address,
      country: profile.country,
      vatNumber: profile.vatNumber,
      ...(profile.buyerReference ? { buyerReference: profile.buyerReference } : {}),
    },
    seller: settings.seller,
    timezone: settings.timezone,
    language: documentLanguageOf(request.customer.language || settings.locale),
    dueAt: addDaysTo(at, settings.paymentDays),
    createdAt: at,
    holds: holdsOf(request),
    cartKey: request.cartKey,
    cartItemIds: request.cartItemIds,
    placeBy: new Date(at.getTime() + placeMs),
    workDueAt: null,
  };
}

/** Lines of a product share a hold: limits apply to the sum. */
function holdsOf({ id, userId, priced }: NewOrder): OrderHold[] {
  const { quote, coupon } = priced;
  const quantities = new Map<string, number>();
  for (const { product, quantity } of quote.items) {
    quantities.set(product.id, (quantities.get(product.id) ?? 0) + quantity);
  }
  const products = new Map(quote.items.map(({ product }) => [product.id, product]));
  const holds = [...products.values()].flatMap((product): OrderHold[] => {
    const quantity = quantities.get(product.id) ?? 0;
    const counted = { id, quantity };
    return [
      ...(product.stock === null ? [] : [{ ...counted, kind: 'stock' as const, key: product.id, most: null }]),
      { ...counted, kind: 'counter', key: counterKey.product(product.id, userId), most: product.perUserLimit },
    ];
  });
  if (!coupon) return holds;
  const once = { id, quantity: 1 };
  return [
    ...holds,
    { ...once, kind: 'coupon', key: coupon.id, most: null },
    { ...once, kind: 'counter', key: counterKey.coupon(coupon.id, userId), most: coupon.maxUsesPerUser },
  ];
}

/** Counters per customer. */
export const counterKey = {
  product: (productId: string, userId: string) => `product:${productId}:${userId}`,
  coupon: (couponId: string, userId: string) => `coupon:${couponId}:${userId}`,
};
