import type { Job, Logger, RunningProcess } from '@panel/kit';
import { startService } from '@panel/rpc';
import { protoFiles, protoRoot } from '@panel/protos/source';
import type { BillingConfig } from './config.js';
import { type BillingContext, type BillingOverrides, createContext } from './context.js';
import { createHandlers } from './handlers/index.js';
import { numberInvoices } from './usecases/invoices/number-invoices.js';
import { recoverRefunds } from './usecases/invoices/refund-invoice.js';
import { drainLedger } from './usecases/credits/drain-ledger.js';
import { createMailJobs } from './usecases/mail/deliver-mail.js';
import { recoverOrders, sweepHolds } from './usecases/orders/recover-orders.js';
import { recoverEvents } from './usecases/payments/apply-payment-event.js';
import { confirmPaymentSessions } from './usecases/payments/confirm-sessions.js';
import { reconcile } from './usecases/reconciliation/reconcile.js';
import { runDunning, recoverPayments } from './usecases/dunning/run-dunning.js';
import { renewSubscriptions } from './usecases/renewals/renew-subscriptions.js';
import { recoverChanges } from './usecases/subscriptions/change-plan.js';
import { returnUnits } from './usecases/subscriptions/end-subscription.js';
import { syncServers } from './usecases/subscriptions/sync-server.js';
import { meterSubscriptions } from './usecases/usage/meter-subscriptions.js';

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
    { name: 'renew-subscriptions', intervalMs: renewalMs, run: async (signal) => renewSubscriptions(context, signal) },
    { name: 'dunning', intervalMs: renewalMs, run: async (signal) => runDunning(context, signal) },
    { name: 'meter-subscriptions', intervalMs: renewalMs, run: async (signal) => meterSubscriptions(context, signal) },
    {
      name: 'confirm-payment-sessions',
      intervalMs: renewalMs,
      run: async (signal) => confirmPaymentSessions(context, signal),
    },
    { name: 'reconcile', intervalMs: sweepMs, run: async (signal) => reconcile(context, signal) },
    { name: 'sweep-holds', intervalMs: sweepMs, run: async () => sweepHolds(context) },
  ];
}
