type CouponType = 'percent' | 'fixed';

/** A code that makes things cheaper. */
export interface Coupon {
  readonly id: string;
  /** As written; unique whatever the case of its letters. */
  readonly code: string;
  readonly type: CouponType;
  /** Percent 1 to 100, or minor units of `currency`. */
  readonly value: number;
  /** Of a fixed amount; empty for a percentage. */
  readonly currency: string;
  /** Empty: all products. */
  readonly productIds: readonly string[];
  readonly maxUses: number | null;
  readonly uses: number;
  readonly maxUsesPerUser: number | null;
  /** Invoices of a subscription it holds for; null: all. */
  readonly recurring: number | null;
  readonly startsAt: Date | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

/** The rest of a coupon on a subscription. */
export interface SubscriptionDiscount {
  readonly couponId: string;
  readonly code: string;
  readonly type: CouponType;
  /** Percent, or this subscription's share of the fixed amount in minor units. */
  readonly value: number;
  /** Further invoices it holds for; null: all. */
  readonly remaining: number | null;
}
