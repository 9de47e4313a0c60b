import type { Job, Logger, RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { BillingConfig } from './config.js';
import { type BillingContext, type BillingOverrides, createContext } from './context.js';
import { createHandlers } from './handlers/index.js';
import { migrations } from './models/migrations/index.js';
import { numberInvoices } from './usecases/invoices/number-invoices.js';
import { recoverRefunds } from './usecases/invoices/refund-invoice.js';
import { drainLedger } from './usecases/credits/drain-ledger.js';
import { createMailJobs } from './usecases/mail/deliver-mail.js';
import { recoverOrders, sweepHolds } from './usecases/orders/recover-orders.js';
import { recoverEvents } from './usecases/payments/apply-payment-event.js';
import { confirmCheckouts } from './usecases/payments/confirm-checkouts.js';
import { reconcile } from './usecases/reconciliation/reconcile.js';
import { chaseInvoices, recoverPayments } from './usecases/renewals/chase-invoices.js';
import { renewServices } from './usecases/renewals/renew-services.js';
import { recoverChanges } from './usecases/services/change-plan.js';
import { returnUnits } from './usecases/services/end-service.js';
import { syncServers } from './usecases/services/sync-server.js';
import { meterServices } from './usecases/usage/meter-services.js';

const shortMs = 1_000;
const renewalMs = 30_000;
const sweepMs = 60_000;

export interface BillingStartOptions extends BillingOverrides {
  readonly log?: Logger;
  readonly clock?: () => Date;
}

/** Start billing: the store, invoices, services and credits, and the jobs behind them. */
export async function startBilling(
  config: BillingConfig,
  overrides: BillingStartOptions = {},
): Promise<RunningProcess> {
  const { log, clock, ...parts } = overrides;
  return startService({
    name: 'billing',
    config,
    migrations,
    ...(log ? { log } : {}),
    ...(clock ? { clock } : {}),
    reflection: { root: protoRoot, files: protoFiles.billing },
    build: async (base) => {
      const context = createContext(config, base, parts);
      return { services: createHandlers(context), jobs: createBillingJobs(context) };
    },
  });
}

/** Every replica runs all of them: what they work on is claimed piece by piece, or may be done twice. */
export function createBillingJobs(context: BillingContext): Job[] {
  return [
    ...createMailJobs(context),
    context.activity.createJob(),
    { name: 'drain-ledger', intervalMs: shortMs, run: async (signal) => drainLedger(context, signal) },
    { name: 'recover-orders', intervalMs: shortMs, run: async (signal) => recoverOrders(context, signal) },
    { name: 'recover-payments', intervalMs: shortMs, run: async (signal) => recoverPayments(context, signal) },
    { name: 'recover-events', intervalMs: 5 * shortMs, run: async (signal) => recoverEvents(context, signal) },
    { name: 'recover-refunds', intervalMs: 5 * shortMs, run: async (signal) => recoverRefunds(context, signal) },
    { name: 'number-invoices', intervalMs: 5 * shortMs, run: async (signal) => numberInvoices(context, signal) },
    { name: 'sync-servers', intervalMs: shortMs, run: async (signal) => syncServers(context, signal) },
    { name: 'return-units', intervalMs: 5 * shortMs, run: async (signal) => returnUnits(context, signal) },
    { name: 'recover-changes', intervalMs: 5 * shortMs, run: async (signal) => recoverChanges(context, signal) },
    { name: 'renew-services', intervalMs: renewalMs, run: async (signal) => renewServices(context, signal) },
    { name: 'chase-invoices', intervalMs: renewalMs, run: async (signal) => chaseInvoices(context, signal) },
    { name: 'meter-services', intervalMs: renewalMs, run: async (signal) => meterServices(context, signal) },
    { name: 'confirm-checkouts', intervalMs: renewalMs, run: async (signal) => confirmCheckouts(context, signal) },
    { name: 'reconcile', intervalMs: sweepMs, run: async (signal) => reconcile(context, signal) },
    { name: 'sweep-holds', intervalMs: sweepMs, run: async () => sweepHolds(context) },
  ];
}
