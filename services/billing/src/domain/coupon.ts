type CouponType = 'percent' | 'fixed';

export interface Coupon {
  readonly id: string;
  /** As written; unique, case-insensitive. */
  readonly code: string;
  readonly type: CouponType;
  /** Percent 1 to 100, or minor units of `currency`. */
  readonly value: number;
  /** Empty for a percentage. */
  readonly currency: string;
  /** Empty: all products. */
  readonly productIds: readonly string[];
  readonly maxUses: number | null;
  readonly uses: number;
  readonly maxUsesPerUser: number | null;
  /** Discounted invoices per subscription; null: all. */
  readonly recurring: number | null;
  readonly startsAt: Date | null;
  readonly expiresAt: Date | null;
  readonly createdAt: Date;
}

export interface SubscriptionDiscount {
  readonly couponId: string;
  readonly code: string;
  readonly type: CouponType;
  /** Percent, or the subscription's share in minor units. */
  readonly value: number;
  /** Further discounted invoices; null: all. */
  readonly remaining: number | null;
}
