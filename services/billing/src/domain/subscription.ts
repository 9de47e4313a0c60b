import {
  count,
  date,
  type Field,
  flag,
  id,
  listOf,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
} from '@panel/kit/records';
import { discountFields } from './coupon.js';
import { itemConfigFields } from './cart.js';
import { planFields, serverTemplateFields } from './product.js';

const subscriptionStatuses = [
  'pending',
  'provisioning',
  'active',
  'suspended',
  'cancelled',
  'terminated',
  'failed',
] as const;
export type SubscriptionStatus = (typeof subscriptionStatuses)[number];

/** Without a server, permanently. */
export const endedStatuses: readonly SubscriptionStatus[] = ['cancelled', 'terminated'];

/** `balance`: metered, without credits. `dispute`: at the gateway. `no_user`: its customer was deleted. */
export type SuspendReason = 'overdue' | 'operator' | 'balance' | 'dispute' | 'no_user';

/** See provisioning/sync-servers.ts. */
export const serverSyncFields = {
  /** Grows with each change for the server. */
  version: count,
  /** Next attempt; null: in sync. */
  dueAt: orNull(date),
  /** Since the last success. */
  attempts: count,
  lastError: text,
};

const planChangeFields = {
  invoiceId: id,
  requestedAt: date,
  productId: id,
  productName: text,
  plan: part(planFields),
  server: part(serverTemplateFields),
};
export type PlanChange = RecordOf<typeof planChangeFields>;

/** Posted under this id, then removed. */
const creditDueFields = {
  id,
  amountMinor: count,
  note: text,
};

/** A purchase: one server. */
const subscriptionFields = {
  id,
  userId: id,
  orderId: id,
  productId: id,
  productName: text,
  /** As sold; the price holds for renewals. */
  plan: part(planFields),
  server: part(serverTemplateFields),
  config: part(itemConfigFields),
  discount: orNull(part(discountFields)),
  status: oneOf(subscriptionStatuses),
  suspendReason: orNull(text as Field<SuspendReason>),
  /** Empty before the server exists. */
  serverId: text,
  sync: part(serverSyncFields),
  /** End of the paid time; null: unlimited. */
  nextDueAt: orNull(date),
  /** Months count from it: the 31st returns after a February. */
  anchorAt: orNull(date),
  /** Periods since `anchorAt`. */
  periods: count,
  /** Next renewal; null: never. */
  renewAt: orNull(date),
  cancelAtPeriodEnd: flag,
  change: orNull(part(planChangeFields)),
  /** Metered only: end of the charged usage. */
  meteredUntil: orNull(date),
  suspendedAt: orNull(date),
  createdAt: date,
  endedAt: orNull(date),
};
export type Subscription = RecordOf<typeof subscriptionFields>;

export function isEnded(status: SubscriptionStatus): boolean {
  return endedStatuses.includes(status);
}

export const subscriptionRecordFields = {
  ...subscriptionFields,
  /** Counts void renewals: the period's next invoice needs another id. */
  renewalSerial: count,
  /** Of an installation that failed because a dependency was unavailable; absent: none was needed. */
  installRepair: optional(part({ attempts: count, nextAt: date })),
  /** Limits are to be set. */
  limitsDue: flag,
  /** Its unit is to be returned. */
  returnDue: flag,
  /** A change of product moves no unit. */
  unitProductId: id,
  creditDue: orNull(part(creditDueFields)),
  /** Latest applied ones. */
  appliedChanges: listOf(text),
  /** Next charge of usage; null: not metered. */
  meterAt: orNull(date),
};
export type SubscriptionRecord = RecordOf<typeof subscriptionRecordFields>;
