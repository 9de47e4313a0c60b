import { type ActivityLog, createActivityLog } from '@panel/activity';
import type { Failpoint, Jobs, Logger } from '@panel/kit/process';
import { createOutboxMetrics, type OutboxMetrics } from '@panel/outbox';
import type { ServiceBase } from '@panel/rpc';
import { type BillingClients, createClients } from './clients.js';
import type { BillingConfig } from './config.js';
import { createInvoiceDocuments, type InvoiceDocuments } from './documents/invoice-documents.js';
import { createGiftCodeTexts, type GiftCodeTexts } from './gift-codes/gift-code-texts.js';
import type { WokenJob } from './domain/job-names.js';
import { InvoiceNumbers } from './invoicing/assign-numbers.js';
import { type BillingStores, createStores } from './models/stores.js';
import { createPaymentGateways } from './payments/gateways.js';
import type { PaymentGateways } from './payments/payment-gateway.js';
import { createVies, type VatRegister } from './customers/vies.js';
import { SettingsReader, type SettingsSource } from './settings/settings-reader.js';

/** A customer waits for it. */
const viesTimeoutMs = 5_000;

export interface BillingContext extends BillingStores, Omit<BillingClients, 'activityClient' | 'settingsClient'> {
  readonly log: Logger;
  readonly clock: () => Date;
  readonly failpoint: Failpoint;
  readonly numbers: InvoiceNumbers;
  readonly documents: InvoiceDocuments;
  readonly settings: SettingsSource;
  readonly gateways: PaymentGateways;
  readonly vatRegister: VatRegister;
  readonly giftCodeTexts: GiftCodeTexts;
  readonly activity: ActivityLog;
  readonly outboxMetrics: OutboxMetrics;
  readonly attempt: Jobs['attempt'];
  readonly runJob: (name: WokenJob) => void;
}

export type BillingOverrides = Partial<
  Omit<BillingClients, 'settingsClient'> &
    Pick<BillingContext, 'settings' | 'gateways' | 'vatRegister' | 'failpoint' | 'documents'>
>;

export function createContext(
  config: BillingConfig,
  base: Pick<ServiceBase, 'mongo' | 'log' | 'clock' | 'systemClock' | 'jobs' | 'metrics' | 'connectTo'>,
  overrides: BillingOverrides = {},
): BillingContext {
  const { mongo, log, clock, jobs } = base;
  const { activityClient, settingsClient, ...clients } = { ...createClients(config, base.connectTo), ...overrides };
  const stores = createStores(mongo);
  const outboxMetrics = createOutboxMetrics(base.metrics.registry);
  const settings = overrides.settings ?? new SettingsReader(settingsClient, log, clock);
  return {
    gateways: createPaymentGateways(config.payments, {
      clock: base.systemClock,
      panelUrl: async () => (await settings.read()).panelUrl,
    }),
    vatRegister: createVies({ apiBase: config.viesApiBase, timeoutMs: viesTimeoutMs }, log),
    failpoint: config.failpoint,
    ...stores,
    ...clients,
    log,
    clock,
    settings,
    giftCodeTexts: createGiftCodeTexts(config.serviceSecret),
    numbers: new InvoiceNumbers({ ...stores, settings }),
    documents: overrides.documents ?? createInvoiceDocuments(),
    activity: createActivityLog({ client: activityClient, mongo, jobs, metrics: outboxMetrics, log, clock }),
    outboxMetrics,
    attempt: async (job, itemId, work) => jobs.attempt(job, itemId, work),
    runJob: (name) => jobs.runNow(name),
  };
}
