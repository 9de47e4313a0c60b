import type { Jobs, Logger } from '@panel/kit/process';
import type { Client, ServiceBase } from '@panel/rpc';
import { createCollectionOutbox, createOutboxMetrics, type OutboxMetrics } from '@panel/outbox';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { UserServiceService } from '@panel/protos/identity';
import { EggServiceService, ServerServiceService, UsageServiceService } from '@panel/protos/servers';
import type { BillingConfig } from './config.js';
import { createInvoiceDocuments, type InvoiceDocuments } from './documents/invoice-documents.js';
import type { ActivityEntry } from './domain/activity.js';
import type { PaymentGateway } from './payments/payment-gateway.js';
import type { Failpoint } from './failpoint.js';
import { createCreditStore, type CreditStore } from './models/account.js';
import { createAttemptStore, type AttemptStore } from './models/attempts.js';
import { type CartStore, createCartStore } from './models/cart.js';
import { type CheckoutStore, createCheckoutStore } from './models/checkout.js';
import { type CounterStore, createCounterStore } from './models/counter.js';
import { type CouponStore, createCouponStore } from './models/coupon.js';
import { createDiscrepancyStore, type DiscrepancyStore } from './models/discrepancy.js';
import { createReportStore, type ReportStore } from './models/report.js';
import { createInvoiceStore, type InvoiceStore } from './models/invoice.js';
import { createOrderStore, type OrderStore } from './models/order.js';
import { createPaymentEventStore, type PaymentEventStore } from './models/payment-event.js';
import { createProductStore, type ProductStore } from './models/product.js';
import { createProfileStore, type ProfileStore } from './models/profile.js';
import { createSequenceStore, type SequenceStore } from './models/sequence.js';
import { createServiceStore, type ServiceStore } from './models/service.js';
import { createStoredMethodStore, type StoredMethodStore } from './models/stored-method.js';
import { createUsageChargeStore, type UsageChargeStore } from './models/usage-charge.js';
import { createPaymentGateways } from './payments/gateways.js';
import { type ActivityLog, createActivityLog } from './usecases/activity-log.js';
import { InvoiceNumbers } from './usecases/invoices/assign-numbers.js';
import { SettingsReader } from './usecases/settings/read-settings.js';

/** What the use cases work with. */
export interface BillingContext {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly failpoint: Failpoint;
  readonly products: ProductStore;
  readonly coupons: CouponStore;
  readonly counters: CounterStore;
  readonly carts: CartStore;
  readonly profiles: ProfileStore;
  readonly orders: OrderStore;
  readonly invoices: InvoiceStore;
  readonly services: ServiceStore;
  readonly credits: CreditStore;
  readonly sequences: SequenceStore;
  readonly attempts: AttemptStore;
  readonly paymentEvents: PaymentEventStore;
  readonly storedMethods: StoredMethodStore;
  readonly checkouts: CheckoutStore;
  readonly usageCharges: UsageChargeStore;
  readonly discrepancies: DiscrepancyStore;
  readonly reports: ReportStore;
  readonly numbers: InvoiceNumbers;
  readonly documents: InvoiceDocuments;
  readonly settings: Pick<SettingsReader, 'read'>;
  /** Gateways that are set up, by name; without `credits`, which is the ledger itself. */
  readonly gateways: ReadonlyMap<string, PaymentGateway>;
  readonly servers: Pick<
    Client<typeof ServerServiceService>,
    'createServer' | 'getServer' | 'listServers' | 'updateServer' | 'deleteServer' | 'suspendServer' | 'unsuspendServer'
  >;
  /** What metered servers have used. */
  readonly usage: Pick<Client<typeof UsageServiceService>, 'listHourlyUsage'>;
  readonly eggs: Pick<Client<typeof EggServiceService>, 'getEgg'>;
  readonly users: Pick<Client<typeof UserServiceService>, 'batchGetUsers'>;
  readonly mail: Pick<Client<typeof MailServiceService>, 'enqueueMail'>;
  readonly activity: ActivityLog;
  readonly outboxMetrics: OutboxMetrics;
  /** Do the part of a job that concerns one item. */
  readonly attempt: Jobs['attempt'];
  /** Start a job at once: there is work for it. */
  readonly runJob: (name: BillingJob) => void;
}

/** The job that requests wake. */
export type BillingJob = 'sync-servers' | 'meter-services';

/** What tests replace. */
export type BillingOverrides = Partial<
  Pick<BillingContext, 'servers' | 'usage' | 'eggs' | 'users' | 'mail' | 'settings' | 'gateways' | 'failpoint'> & {
    readonly activityClient: Pick<Client<typeof ActivityServiceService>, 'recordActivity'>;
  }
>;

export function createContext(
  config: BillingConfig,
  base: Pick<ServiceBase, 'mongo' | 'log' | 'clock' | 'jobs' | 'metrics' | 'connectTo'>,
  overrides: BillingOverrides = {},
): BillingContext {
  const { mongo, log, clock } = base;
  const servers = base.connectTo(config.serversAddress);
  const admin = base.connectTo(config.adminAddress);
  const outboxMetrics = createOutboxMetrics(base.metrics.registry);
  const invoices = createInvoiceStore(mongo);
  const sequences = createSequenceStore(mongo);
  const settings = overrides.settings ?? new SettingsReader(admin.client(SettingsServiceService), log, clock);
  return {
    log,
    clock,
    failpoint: overrides.failpoint ?? config.failpoint,
    products: createProductStore(mongo),
    coupons: createCouponStore(mongo),
    counters: createCounterStore(mongo),
    carts: createCartStore(mongo),
    profiles: createProfileStore(mongo),
    orders: createOrderStore(mongo),
    invoices,
    services: createServiceStore(mongo),
    credits: createCreditStore(mongo),
    sequences,
    attempts: createAttemptStore(mongo),
    paymentEvents: createPaymentEventStore(mongo),
    storedMethods: createStoredMethodStore(mongo),
    checkouts: createCheckoutStore(mongo),
    usageCharges: createUsageChargeStore(mongo),
    discrepancies: createDiscrepancyStore(mongo),
    reports: createReportStore(mongo),
    numbers: new InvoiceNumbers({ invoices, sequences, settings }),
    documents: createInvoiceDocuments(),
    settings,
    gateways: overrides.gateways ?? createPaymentGateways(config.payments, clock),
    servers: overrides.servers ?? servers.client(ServerServiceService),
    usage: overrides.usage ?? servers.client(UsageServiceService),
    eggs: overrides.eggs ?? servers.client(EggServiceService),
    users: overrides.users ?? base.connectTo(config.identityAddress).client(UserServiceService),
    mail: overrides.mail ?? admin.client(MailServiceService),
    activity: createActivityLog({
      client: overrides.activityClient ?? admin.client(ActivityServiceService),
      outbox: createCollectionOutbox<ActivityEntry>(mongo, 'activity_outbox', { keptDays: 7 }),
      metrics: outboxMetrics,
      log,
      clock,
    }),
    outboxMetrics,
    attempt: async (job, itemId, work) => base.jobs.attempt(job, itemId, work),
    runJob: (name) => {
      if (base.jobs.names().includes(name)) base.jobs.runNow(name);
    },
  };
}
