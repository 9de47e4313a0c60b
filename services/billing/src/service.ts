import type { Job, Logger, RunningProcess } from '@panel/kit/process';
import { startService } from '@panel/rpc';
import { liftDebts } from './subscriptions/lift-debts.js';
import { returnUnits } from './subscriptions/return-units.js';
import { recoverChanges } from './refunds/recover-changes.js';
import { recoverPayments } from './invoicing/recover-payments.js';
import { recoverRedemptions } from './gift-codes/recover-redemptions.js';
import { recoverRefunds } from './refunds/recover-refunds.js';
import { checkVatNumbers } from './customers/check-vat-numbers.js';
import type { BillingConfig } from './config.js';
import { type BillingContext, type BillingOverrides, createContext } from './context.js';
import { createHandlers } from './handlers/index.js';
import { migrations } from './models/migrations/index.js';
import { numberInvoices } from './invoicing/number-invoices.js';
import { drainLedger } from './ledger/drain-ledger.js';
import { createMailJobs } from './mail/deliver-mail.js';
import { recoverOrders, sweepHolds } from './fulfilment/recover-orders.js';
import { recoverEvents } from './payment-events/receive-events.js';
import { confirmPaymentSessions } from './payment-events/confirm-sessions.js';
import { reconcile } from './reconciliation/reconcile.js';
import { writeJournal } from './journal/write-journal.js';
import { runDunning } from './dunning/run-dunning.js';
import { renewSubscriptions } from './renewals/renew-subscriptions.js';
import { syncServers } from './provisioning/sync-servers.js';
import { meterSubscriptions } from './metering/meter-subscriptions.js';

/** Only after crashes, and for what other replicas or a back-off left. */
const recoveryMs = 5_000;
const renewalMs = 30_000;
const sweepMs = 60_000;

interface BillingStartOptions extends BillingOverrides {
  readonly log?: Logger;
  readonly clock?: () => Date;
}

export async function startBilling(
  config: BillingConfig,
  overrides: BillingStartOptions = {},
): Promise<RunningProcess> {
  const { log, clock, ...parts } = overrides;
  return startService({
    name: 'billing',
    config,
    migrations,
    adminAddress: config.adminAddress,
    ...(log ? { log } : {}),
    ...(clock ? { clock } : {}),
    build: async (base) => {
      const context = createContext(config, base, parts);
      return { services: createHandlers(context), jobs: createBillingJobs(context) };
    },
  });
}

/** On every replica: items are claimed, or work is idempotent. */
export function createBillingJobs(context: BillingContext): Job[] {
  return [
    ...createMailJobs(context),
    ...context.activity.jobs,
    { name: 'drain-ledger', intervalMs: recoveryMs, run: async (signal) => drainLedger(context, signal) },
    { name: 'write-journal', intervalMs: recoveryMs, run: async (signal) => writeJournal(context, signal) },
    { name: 'recover-orders', intervalMs: recoveryMs, run: async (signal) => recoverOrders(context, signal) },
    { name: 'recover-payments', intervalMs: recoveryMs, run: async (signal) => recoverPayments(context, signal) },
    { name: 'recover-events', intervalMs: recoveryMs, run: async (signal) => recoverEvents(context, signal) },
    { name: 'recover-refunds', intervalMs: recoveryMs, run: async (signal) => recoverRefunds(context, signal) },
    {
      name: 'recover-redemptions',
      intervalMs: recoveryMs,
      run: async (signal) => recoverRedemptions(context, signal),
    },
    { name: 'number-invoices', intervalMs: recoveryMs, run: async (signal) => numberInvoices(context, signal) },
    { name: 'sync-servers', intervalMs: recoveryMs, run: async (signal) => syncServers(context, signal) },
    { name: 'return-units', intervalMs: recoveryMs, run: async (signal) => returnUnits(context, signal) },
    { name: 'lift-debts', intervalMs: renewalMs, run: async (signal) => liftDebts(context, signal) },
    { name: 'recover-changes', intervalMs: recoveryMs, run: async (signal) => recoverChanges(context, signal) },
    { name: 'renew-subscriptions', intervalMs: renewalMs, run: async (signal) => renewSubscriptions(context, signal) },
    { name: 'dunning', intervalMs: renewalMs, run: async (signal) => runDunning(context, signal) },
    { name: 'meter-subscriptions', intervalMs: renewalMs, run: async (signal) => meterSubscriptions(context, signal) },
    {
      name: 'confirm-payment-sessions',
      intervalMs: renewalMs,
      run: async (signal) => confirmPaymentSessions(context, signal),
    },
    { name: 'check-vat-numbers', intervalMs: sweepMs, run: async (signal) => checkVatNumbers(context, signal) },
    { name: 'reconcile', intervalMs: sweepMs, run: async (signal) => reconcile(context, signal) },
    { name: 'sweep-holds', intervalMs: sweepMs, run: async () => sweepHolds(context) },
  ];
}
