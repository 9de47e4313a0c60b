import type { ItemConfig } from './cart.js';
import type { SubscriptionDiscount } from './coupon.js';
import type { Plan, ServerTemplate } from './product.js';

export const subscriptionStatuses = [
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

/** `balance`: metered, without credits. `dispute`: at the gateway. */
export type SuspendReason = 'overdue' | 'operator' | 'balance' | 'dispute';

/** See provisioning/sync-servers.ts. */
interface ServerSync {
  /** Grows with each change for the server. */
  readonly version: number;
  /** Next attempt; null: in sync. */
  readonly dueAt: Date | null;
  /** Since the last success. */
  readonly attempts: number;
  readonly lastError: string;
}

export interface PlanChange {
  readonly invoiceId: string;
  readonly requestedAt: Date;
  readonly productId: string;
  readonly productName: string;
  readonly plan: Plan;
  readonly server: ServerTemplate;
}

/** Posted under this id, then removed. */
interface CreditDue {
  readonly id: string;
  readonly amountMinor: number;
  readonly note: string;
}

/** A purchase: one server. */
export interface Subscription {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly productId: string;
  readonly productName: string;
  /** As sold; the price holds for renewals. */
  readonly plan: Plan;
  readonly server: ServerTemplate;
  readonly config: ItemConfig;
  readonly discount: SubscriptionDiscount | null;
  readonly status: SubscriptionStatus;
  readonly suspendReason: SuspendReason | null;
  /** Empty before the server exists. */
  readonly serverId: string;
  readonly sync: ServerSync;
  /** End of the paid time; null: unlimited. */
  readonly nextDueAt: Date | null;
  /** Months count from it: the 31st returns after a February. */
  readonly anchorAt: Date | null;
  /** Periods since `anchorAt`. */
  readonly periods: number;
  /** Next renewal; null: never. */
  readonly renewAt: Date | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly change: PlanChange | null;
  /** Metered only: end of the charged usage. */
  readonly meteredUntil: Date | null;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

export function isEnded(status: SubscriptionStatus): boolean {
  return endedStatuses.includes(status);
}

export interface SubscriptionRecord extends Subscription {
  /** Counts void renewals: the period's next invoice needs another id. */
  readonly renewalSerial: number;
  /** Limits are to be set. */
  readonly limitsDue: boolean;
  /** Its unit is to be returned. */
  readonly returnDue: boolean;
  /** A change of product moves no unit. */
  readonly unitProductId: string;
  readonly creditDue: CreditDue | null;
  /** Latest applied ones. */
  readonly appliedChanges: readonly string[];
  /** Next charge of usage; null: not metered. */
  readonly meterAt: Date | null;
}
