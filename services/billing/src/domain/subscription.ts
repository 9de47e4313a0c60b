import {
  amount,
  count,
  date,
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
import { currentPeriods, paidPeriodFields } from './paid-period.js';
import { priceChangePart } from './price-change.js';
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

/**
 * Each is lifted by who has set it; the first of them is shown. `balance`: metered, without credits. `dispute`: at the
 * gateway. `debt`: what it was paid with was taken back, and is owed. `no_user`: its customer was deleted.
 */
const suspendReasons = ['operator', 'dispute', 'debt', 'no_user', 'overdue', 'balance'] as const;
export type SuspendReason = (typeof suspendReasons)[number];

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

/** What is shown, and mailed. */
export function firstReasonOf(reasons: readonly SuspendReason[]): SuspendReason | undefined {
  return suspendReasons.find((reason) => reasons.includes(reason));
}

const planChangeFields = {
  invoiceId: id,
  requestedAt: date,
  productId: id,
  productName: text,
  plan: part(planFields),
  server: part(serverTemplateFields),
  /** The coupon is for the new product, too. */
  isDiscounted: flag,
  /** Of a unit of the new product, which is taken; empty: it stays the same product. */
  unitId: text,
};
export type PlanChange = RecordOf<typeof planChangeFields>;

const unitFields = { id, productId: id };
/** Of a product's stock and the customer's limit. */
export type Unit = RecordOf<typeof unitFields>;

/** Refunds of invoices, to credits, under ids derived from this one; then removed. */
const creditDueFields = {
  id,
  refunds: listOf(part({ invoiceId: id, line: count, amountMinor: amount })),
  reason: text,
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
  /** Empty while it is active, not empty while it is suspended. Before it has a server: it will be suspended. */
  suspendReasons: listOf(oneOf(suspendReasons)),
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
  /** Absent or null: the price stays. */
  priceChange: optional(orNull(priceChangePart)),
  change: orNull(part(planChangeFields)),
  /** Metered only: end of the charged usage. */
  meteredUntil: orNull(date),
  suspendedAt: orNull(date),
  createdAt: date,
  endedAt: orNull(date),
};
export type Subscription = RecordOf<typeof subscriptionFields>;

/** What a change that is dropped returns. */
export function unitsOfChange(change: PlanChange | null): Unit[] {
  return change && change.unitId !== '' ? [{ id: change.unitId, productId: change.productId }] : [];
}

/** What the service is after the change. A price that was announced was of the plan before. */
export function termsOfChange(
  { discount }: Pick<Subscription, 'discount'>,
  { productId, productName, plan, server, isDiscounted }: Omit<PlanChange, 'invoiceId'>,
) {
  const terms = { productId, productName, plan, server, discount: isDiscounted ? discount : null };
  return { ...terms, priceChange: null, limitsDue: true };
}

export function dropChange(change: PlanChange) {
  return { set: { change: null }, returnUnits: unitsOfChange(change) };
}

export function isEnded(status: SubscriptionStatus): boolean {
  return endedStatuses.includes(status);
}

export const subscriptionRecordFields = {
  ...subscriptionFields,
  /** Counts void renewals: the period's next invoice needs another id. */
  renewalSerial: count,
  /** Of an installation that failed because a dependency was unavailable; absent: none was needed. */
  installRepair: optional(part({ attempts: count, nextAt: date })),
  /** Renewed although staff have suspended it. */
  isInvoicedOn: optional(flag),
  /** Limits are to be set. */
  limitsDue: flag,
  /** Its unit. */
  unit: part(unitFields),
  /** Units to be returned, each once. Absent: none. */
  unitsDue: optional(listOf(part(unitFields))),
  creditDue: orNull(part(creditDueFields)),
  /** What was paid for the current period and those that follow. Absent: for none. */
  paid: optional(listOf(part(paidPeriodFields))),
  /** Latest applied ones. */
  appliedChanges: listOf(text),
  /** Next charge of usage; null: not metered. */
  meterAt: orNull(date),
};
export type SubscriptionRecord = RecordOf<typeof subscriptionRecordFields>;

/** The invoice has paid for its time from `at` on. Unlimited time is paid by each of its invoices. */
export function isPaidBy(
  { status, nextDueAt, paid }: Pick<SubscriptionRecord, 'status' | 'nextDueAt' | 'paid'>,
  invoiceId: string,
  at: Date,
): boolean {
  if (isEnded(status)) return false;
  return nextDueAt === null || currentPeriods({ paid }, at).some((period) => period.invoiceId === invoiceId);
}

/** Not invoiced on: staff have suspended it, or it has no server yet. */
export function isHeld({
  status,
  suspendReasons: reasons,
  isInvoicedOn = false,
}: Pick<SubscriptionRecord, 'status' | 'suspendReasons' | 'isInvoicedOn'>): boolean {
  return status === 'provisioning' || status === 'failed' || (reasons.includes('operator') && !isInvoicedOn);
}
