import { assertNever, isAppError } from '@panel/kit/errors';
import { ListServersRequest, ListServersRequest_Scope, Server_Status } from '@panel/protos/servers';
import { isEnded, type SubscriptionRecord } from '../domain/subscription.js';
import type { ReconciliationDeps } from './dependencies.js';
import { isRecurring } from '../domain/calendar.js';
import { liftSuspension } from '../subscriptions/suspend-subscription.js';
import { endSubscription } from '../subscriptions/end-subscription.js';
import type { Finding } from '../domain/discrepancy.js';
import { refundFailed } from './refund-failed.js';

/** From the servers service. */
interface Running {
  readonly id: string;
  readonly isSuspended: boolean;
  readonly isBroken: boolean;
  /** Nothing of the customer's is lost by another installation. */
  readonly isRepeatable: boolean;
}

const pageSize = 100;
const subscriptionsPerPage = 500;
const timeoutMs = 20_000;
/** Work in progress for longer is stuck. */
const stuckMs = 60 * 60_000;
/** Of an installation that failed because a dependency was unavailable. */
const maxRepairs = 3;
/** Doubles per attempt. */
const repairMs = 10 * 60_000;

/** In pages, to bound memory. Skips servers in synchronization. */
export async function compareSubscriptions(deps: ReconciliationDeps, signal: AbortSignal): Promise<Finding[]> {
  const servers = await readServers(deps, signal);
  const findings: Finding[] = [];
  let lastId = '';
  while (!signal.aborted) {
    const page = await deps.subscriptions.pageAfter(lastId, subscriptionsPerPage);
    for (const subscription of page) {
      if (signal.aborted) return findings;
      try {
        const found = await compareSubscription(deps, subscription, servers.get(subscription.id));
        if (found) findings.push({ reference: subscription.id, ...found });
      } catch (error) {
        // An unavailable service affects all subscriptions; a damaged record only one.
        if (isAppError(error)) throw error;
        await deps.attempt('reconcile', subscription.id, async () => Promise.reject(error));
      }
    }
    if (page.length < subscriptionsPerPage) break;
    lastId = page.at(-1)?.id ?? '';
  }
  return findings;
}

/** By external id (subscription). */
async function readServers({ servers }: ReconciliationDeps, signal: AbortSignal): Promise<Map<string, Running>> {
  const found = new Map<string, Running>();
  for (let page = 1; !signal.aborted; page++) {
    const request = { page: { page, perPage: pageSize, sort: ['created_at'], search: '' } };
    const all = ListServersRequest.create({ ...request, scope: ListServersRequest_Scope.ALL });
    const answer = await servers.listServers(all, { timeoutMs });
    for (const { id, externalId, suspended, status, installRepeatable: isRepeatable } of answer.servers) {
      const isBroken = status === Server_Status.INSTALL_FAILED;
      // Its deletion is on the way.
      if (status === Server_Status.DELETING) continue;
      if (externalId !== '') found.set(externalId, { id, isSuspended: suspended, isBroken, isRepeatable });
    }
    if (answer.servers.length < pageSize) break;
  }
  return found;
}

type Found = Omit<Finding, 'reference'> | null;

async function compareSubscription(
  deps: ReconciliationDeps,
  subscription: SubscriptionRecord,
  server: Running | undefined,
): Promise<Found> {
  switch (subscription.status) {
    case 'active':
      return (await compareActive(deps, subscription, server)) ?? compareRenewal(deps, subscription);
    case 'suspended':
      return compareSuspended(deps, subscription, server);
    case 'provisioning':
      return compareProvisioning(deps, subscription);
    case 'failed':
      return (
        (await refundFailed(deps, subscription)) ??
        notRunning(`its server could not be created: ${subscription.sync.lastError}`)
      );
    case 'pending':
      return server ? unpaid('its order is not paid, and it has a server', false) : null;
    case 'cancelled':
    case 'terminated':
      return server && isIdle(subscription)
        ? repairByRetry(deps, subscription, 'running_not_paid', 'it has ended, and its server is there')
        : null;
    default:
      return assertNever(subscription.status);
  }
}

/** No synchronization is due. */
function isIdle({ sync }: SubscriptionRecord): boolean {
  return sync.dueAt === null;
}

const notRunning = (detail: string): Found => ({ kind: 'paid_not_running', detail, repaired: false });
const unpaid = (detail: string, repaired: boolean): Found => ({ kind: 'running_not_paid', detail, repaired });

/** Schedules another synchronization. */
async function repairByRetry(
  deps: ReconciliationDeps,
  subscription: SubscriptionRecord,
  kind: Finding['kind'],
  detail: string,
): Promise<Found> {
  await deps.subscriptions.retrySync(subscription.id, deps.clock());
  deps.runJob('sync-servers');
  return { kind, detail, repaired: true };
}

async function compareActive(
  deps: ReconciliationDeps,
  subscription: SubscriptionRecord,
  server: Running | undefined,
): Promise<Found> {
  if (!isIdle(subscription)) return null;
  if (!server) return confirmMissing(deps, subscription);
  if (server.isBroken)
    return (
      (await repairInstallation(deps, subscription, server)) ?? notRunning('the installation of its server has failed')
    );
  // By staff, who lift it: all that billing does has been done.
  if (server.isSuspended)
    return { kind: 'suspended_but_paid', detail: 'staff have suspended its server', repaired: false };
  return null;
}

/** Counted before the call: a crash costs an attempt. Null: nothing to repair, or not now. */
async function repairInstallation(
  { subscriptions, servers, clock }: ReconciliationDeps,
  { id, installRepair }: SubscriptionRecord,
  server: Running,
): Promise<Found> {
  const { attempts = 0, nextAt = clock() } = installRepair ?? {};
  if (!server.isRepeatable || attempts >= maxRepairs || nextAt > clock()) return null;
  const next = { attempts: attempts + 1, nextAt: new Date(clock().getTime() + repairMs * 2 ** attempts) };
  const installAttempts = installRepair?.attempts ?? null;
  const isCounted = await subscriptions.changeIf(
    id,
    { status: ['active'], installAttempts },
    { set: { installRepair: next } },
  );
  if (!isCounted) return null;
  try {
    await servers.reinstallServer({ serverId: server.id }, { timeoutMs });
  } catch (error) {
    // It is being installed, or suspended.
    if (!isAppError(error) || error.kind !== 'failed_precondition') throw error;
    return null;
  }
  const detail = 'the installation of its server failed while something was away: it is installed again';
  return { kind: 'paid_not_running', detail, repaired: true };
}

/** Lists can miss moved or new servers: queries the server itself. */
async function confirmMissing({ servers }: ReconciliationDeps, { serverId }: SubscriptionRecord): Promise<Found> {
  try {
    await servers.getServer({ serverId, asStaff: true }, { timeoutMs });
    return null;
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'not_found') throw error;
    // Its files are lost: an operator decides.
    return notRunning('its server is gone');
  }
}

async function compareSuspended(
  deps: ReconciliationDeps,
  subscription: SubscriptionRecord,
  server: Running | undefined,
): Promise<Found> {
  const isPaid = subscription.nextDueAt !== null && subscription.nextDueAt > deps.clock();
  if (subscription.suspendReasons.includes('overdue') && isPaid) {
    await liftSuspension(deps, subscription.id, 'overdue');
    return { kind: 'suspended_but_paid', detail: 'its period is paid', repaired: true };
  }
  const isRunning = server && !server.isSuspended && isIdle(subscription);
  return isRunning ? repairByRetry(deps, subscription, 'running_not_paid', 'its server is not suspended') : null;
}

function compareProvisioning({ clock }: ReconciliationDeps, { anchorAt, sync }: SubscriptionRecord): Found {
  const isStuck = anchorAt !== null && clock().getTime() - anchorAt.getTime() > stuckMs;
  return isStuck ? notRunning(`its server is not created yet: ${sync.lastError}`) : null;
}

/** After its period, an invoice must be open or due. */
async function compareRenewal(deps: ReconciliationDeps, subscription: SubscriptionRecord): Promise<Found> {
  const { id, nextDueAt, renewAt, plan, cancelAtPeriodEnd } = subscription;
  const now = deps.clock();
  const isOver = isRecurring(plan.interval) && nextDueAt !== null && now.getTime() - nextDueAt.getTime() > stuckMs;
  if (!isOver || renewAt !== null || isEnded(subscription.status)) return null;
  if ((await deps.invoices.openOfSubscription(id)).length > 0) return null;
  if (cancelAtPeriodEnd) {
    await endSubscription(deps, id, 'cancelled', 'cancelled');
    return unpaid('its last period was over', true);
  }
  const renewed = await deps.subscriptions.changeIf(
    id,
    { status: ['active'], nextDueAt, renewAt: null },
    { set: { renewAt: now, renewalSerial: subscription.renewalSerial + 1 } },
  );
  return renewed && unpaid('its period is over and no invoice is open', true);
}
