import type { ItemConfig } from './cart.js';
import type { SubscriptionDiscount } from './coupon.js';
import type { InvoiceCustomer, InvoiceSeller } from './profile.js';
import type { Plan, ServerTemplate } from './product.js';

/** `placing`: undecided; `failed`: undone. One write to `pending` or `paid` decides. */
export const orderStatuses = ['placing', 'pending', 'paid', 'completed', 'cancelled', 'failed'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

export interface OrderItem {
  readonly productId: string;
  readonly productName: string;
  readonly plan: Plan;
  readonly server: ServerTemplate;
  readonly quantity: number;
  readonly config: ItemConfig;
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly netMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
  readonly unitDiscount: SubscriptionDiscount | null;
}

/** Invoice and subscription ids are derived. */
export interface Order {
  readonly id: string;
  /** Sequential, for people. */
  readonly number: string;
  readonly userId: string;
  readonly status: OrderStatus;
  readonly currency: string;
  readonly items: readonly OrderItem[];
  readonly subtotalMinor: number;
  readonly discountMinor: number;
  readonly taxMinor: number;
  readonly totalMinor: number;
  readonly taxRateBasisPoints: number;
  readonly taxInclusive: boolean;
  readonly couponId: string;
  readonly couponCode: string;
  readonly paymentMethod: string;
  readonly customer: InvoiceCustomer;
  readonly seller: InvoiceSeller;
  readonly dueAt: Date;
  readonly createdAt: Date;
}

/** Stock, coupon uses, or a customer's limit. */
export interface OrderHold {
  readonly kind: 'stock' | 'coupon' | 'counter';
  /** Id of the product or coupon, or key of the counter. */
  readonly key: string;
  readonly id: string;
  readonly quantity: number;
  /** Counters only: the limit; null: unlimited. */
  readonly most: number | null;
}

export interface OrderRecord extends Order {
  readonly holds: readonly OrderHold[];
  /** Cart and version, exclusive; null without a cart. */
  readonly cartKey: string | null;
  readonly cartItemIds: readonly string[];
  /** Then the checkout is undone. */
  readonly placeBy: Date;
  /** Work after the decision, also of a retry. Null: done. */
  readonly workDueAt: Date | null;
}
