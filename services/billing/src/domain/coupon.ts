import { amount, count, date, id, listOf, number, oneOf, orNull, type RecordOf, text } from '@panel/kit/records';

export const couponFields = {
  id,
  /** As written; unique, case-insensitive. */
  code: id,
  type: oneOf(['percent', 'fixed']),
  /** Percent 1 to 100, or minor units of `currency`. */
  value: amount,
  /** Empty for a percentage. */
  currency: text,
  /** Empty: all products. */
  productIds: listOf(text),
  maxUses: orNull(number),
  uses: count,
  maxUsesPerUser: orNull(number),
  /** Discounted invoices per subscription; null: all. */
  recurring: orNull(number),
  startsAt: orNull(date),
  expiresAt: orNull(date),
  createdAt: date,
};
export type Coupon = RecordOf<typeof couponFields>;

export const discountFields = {
  couponId: id,
  code: id,
  type: oneOf(['percent', 'fixed']),
  /** Percent, or the subscription's share in minor units. */
  value: amount,
  /** Further discounted invoices; null: all. 0: the current period was the last one. */
  remaining: orNull(number),
};
export type SubscriptionDiscount = RecordOf<typeof discountFields>;
