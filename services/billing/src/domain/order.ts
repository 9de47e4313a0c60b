import type { ItemConfig } from './cart.js';
import type { SubscriptionDiscount } from './coupon.js';
import type { InvoiceCustomer, InvoiceSeller } from './profile.js';
import type { Plan, ServerTemplate } from './product.js';

/**
 * `placing`: being checked out, not decided yet; `failed`: undone. The step from `placing` to `pending` or `paid` is the one
 * write that decides.
 */
export const orderStatuses = ['placing', 'pending', 'paid', 'completed', 'cancelled', 'failed'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

/** One line of an order with everything it was sold with. */
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
  /** Of each unit, what the coupon leaves on its subscription. */
  readonly unitDiscount: SubscriptionDiscount | null;
}

/** A purchase. Ids of its invoice and subscriptions follow from its own. */
export interface Order {
  readonly id: string;
  /** Counts orders, for people. */
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

/** Something limited that an order takes: units of stock, of a coupon, or of what one customer may have. */
export interface OrderHold {
  readonly kind: 'stock' | 'coupon' | 'counter';
  /** Id of the product or coupon, or key of the counter. */
  readonly key: string;
  readonly id: string;
  readonly quantity: number;
  /** Of counters: how many there may be; null: unlimited. */
  readonly most: number | null;
}

/** An order with the state of the work on it. */
export interface OrderRecord extends Order {
  readonly holds: readonly OrderHold[];
  /** Cart and its version, while nothing else may buy them; null for a purchase without a cart. */
  readonly cartKey: string | null;
  readonly cartItemIds: readonly string[];
  /** Until then its checkout may still decide; afterwards it is undone. */
  readonly placeBy: Date;
  /** When the work after the decision (invoice, subscriptions, or undoing) has to be done (again); null: it is done. */
  readonly workDueAt: Date | null;
}
