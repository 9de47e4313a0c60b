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

/** A subscription in one of these has no server and never gets one again. */
export const endedStatuses: readonly SubscriptionStatus[] = ['cancelled', 'terminated'];

/** `balance`: the credits of a metered subscription have ended. `dispute`: its payment is disputed at the gateway. */
export type SuspendReason = 'overdue' | 'operator' | 'balance' | 'dispute';

/** Brings the server to what the subscription says it should be; see provisioning/sync-servers.ts. */
interface ServerSync {
  /** Grows with everything the server has to follow. */
  readonly version: number;
  /** When to try next; null: the server is as it should be. */
  readonly dueAt: Date | null;
  /** Since the last success. */
  readonly attempts: number;
  readonly lastError: string;
}

/** A change of plan that waits for its payment. */
export interface PlanChange {
  readonly invoiceId: string;
  readonly requestedAt: Date;
  readonly productId: string;
  readonly productName: string;
  readonly plan: Plan;
  readonly server: ServerTemplate;
}

/** Credits that a subscription owes its customer: posted under this id, then forgotten. */
interface CreditDue {
  readonly id: string;
  readonly amountMinor: number;
  readonly note: string;
}

/** Something a customer has bought: one server. */
export interface Subscription {
  readonly id: string;
  readonly userId: string;
  readonly orderId: string;
  readonly productId: string;
  readonly productName: string;
  /** As it was sold; the price holds for renewals. */
  readonly plan: Plan;
  readonly server: ServerTemplate;
  readonly config: ItemConfig;
  readonly discount: SubscriptionDiscount | null;
  readonly status: SubscriptionStatus;
  readonly suspendReason: SuspendReason | null;
  /** Empty until the server exists. */
  readonly serverId: string;
  readonly sync: ServerSync;
  /** What is paid for ends here; null: it never does. */
  readonly nextDueAt: Date | null;
  /** Start of the first period: months are counted from it, so that the 31st comes back after a February. */
  readonly anchorAt: Date | null;
  /** Periods since `anchorAt`. */
  readonly periods: number;
  /** When the renewal job has to act next; null: never. */
  readonly renewAt: Date | null;
  readonly cancelAtPeriodEnd: boolean;
  readonly change: PlanChange | null;
  /** Of metered subscriptions: usage before this is charged. */
  readonly meteredUntil: Date | null;
  readonly suspendedAt: Date | null;
  readonly createdAt: Date;
  readonly endedAt: Date | null;
}

/** Whether a subscription has come to its end. */
export function isEnded(status: SubscriptionStatus): boolean {
  return endedStatuses.includes(status);
}

/** A subscription with the state of the work on it. */
export interface SubscriptionRecord extends Subscription {
  /** Counts renewal invoices that were void, so that the next one of the same period is another one. */
  readonly renewalSerial: number;
  /** Whether the limits of the server have to be set. */
  readonly limitsDue: boolean;
  /** Whether stock and the customer's limit have to get their unit back. */
  readonly returnDue: boolean;
  /** The product whose unit it took; a change to another product moves no unit. */
  readonly unitProductId: string;
  readonly creditDue: CreditDue | null;
  /** Invoices of the last changes of plan that were made. */
  readonly appliedChanges: readonly string[];
  /** When the usage of a metered subscription has to be charged next; null: it has none. */
  readonly meterAt: Date | null;
}
