import {
  amount,
  count,
  date,
  flag,
  id,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
} from '@panel/kit/records';
import { evidenceFields } from './place-evidence.js';
import { customerFields, sellerFields } from './profile.js';
import { discountFields } from './coupon.js';
import { itemConfigFields } from './cart.js';
import { planFields, serverTemplateFields } from './product.js';
import { taxFields } from './tax.js';

/** `placing`: undecided; `failed`: undone. One write to `pending` or `paid` decides. */
const orderStatuses = ['placing', 'pending', 'paid', 'completed', 'cancelled', 'failed'] as const;
export type OrderStatus = (typeof orderStatuses)[number];

const orderItemFields = {
  productId: id,
  productName: text,
  plan: part(planFields),
  server: part(serverTemplateFields),
  quantity: count,
  config: part(itemConfigFields),
  subtotalMinor: amount,
  discountMinor: amount,
  netMinor: amount,
  taxMinor: amount,
  totalMinor: amount,
  unitDiscount: orNull(part(discountFields)),
};
export type OrderItem = RecordOf<typeof orderItemFields>;

/** Invoice and subscription ids are derived. */
const orderFields = {
  id,
  /** Sequential, for people. */
  number: id,
  userId: id,
  status: oneOf(orderStatuses),
  currency: id,
  items: listOf(part(orderItemFields)),
  subtotalMinor: amount,
  discountMinor: amount,
  taxMinor: amount,
  totalMinor: amount,
  taxRateBasisPoints: amount,
  taxInclusive: flag,
  /** Absent on older ones. */
  tax: optional(part(taxFields)),
  /** Of the tax scheme `eu`; without the cards of payments. */
  evidence: optional(listOf(part(evidenceFields))),
  couponId: text,
  couponCode: text,
  paymentMethod: id,
  customer: part(customerFields),
  seller: part(sellerFields),
  /** Of printed days; absent on older ones: UTC. */
  timezone: optional(text),
  /** Of the documents of its invoice; absent on older ones: English. */
  language: optional(text),
  dueAt: date,
  createdAt: date,
};
export type Order = RecordOf<typeof orderFields>;

/** Stock, coupon uses, or a customer's limit. */
const orderHoldFields = {
  kind: oneOf(['stock', 'coupon', 'counter']),
  /** Id of the product or coupon, or key of the counter. */
  key: id,
  id,
  quantity: count,
  /** Counters only: the limit; null: unlimited. */
  most: orNull(number),
};
export type OrderHold = RecordOf<typeof orderHoldFields>;

export const orderRecordFields = {
  ...orderFields,
  holds: listOf(part(orderHoldFields)),
  cartItemIds: listOf(text),
  /** Then the checkout is undone. */
  placeBy: date,
  /** Work after the decision, also of a retry. Null: done. */
  workDueAt: orNull(date),
};
export interface OrderRecord extends RecordOf<typeof orderRecordFields> {
  /** Cart and version, exclusive; null without a cart. */
  readonly cartKey: string | null;
}
