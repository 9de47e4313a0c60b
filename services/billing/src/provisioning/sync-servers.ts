import { randomUUID } from 'node:crypto';
import { monotonicClock } from '@panel/kit/async';
import { isAppError, messageOf } from '@panel/kit/errors';
import { holdLease } from '@panel/kit/lease';
import { deriveIdempotencyId, serviceActor } from '@panel/rpc';
import { RunSettings, RunSettings_AutoStart, ServerServiceService } from '@panel/protos/servers';
import { mailEntry, suspensionMail } from '../domain/mail.js';
import type { SubscriptionRecord } from '../domain/subscription.js';
import type { ProvisioningDeps } from './dependencies.js';
import { backOffMs } from '../domain/back-off.js';
import { fail } from '../reasons.js';

/** Renewed while its process works: the server of a killed one waits this long. */
const defaultLeaseMs = 10_000;
const timeoutMs = 20_000;
/** Then the subscription waits for an operator. */
const maxRefusals = 5;
const maxParallel = 4;
const maxTries = 20;

/**
 * Synchronizes servers with subscriptions. Idempotent: a server is created under an id derived from its subscription.
 */
export async function syncServers(
  deps: ProvisioningDeps,
  signal: AbortSignal,
  leaseMs = defaultLeaseMs,
): Promise<void> {
  const claimNext = async () => (signal.aborted ? null : claimSync(deps, leaseMs));
  const syncFrom = async (first: ClaimedSync | null) => {
    for (let claimed = first; claimed; claimed = await claimNext()) await syncClaimed(deps, claimed, leaseMs);
  };
  // Mostly none is due: then one claim is enough.
  const first = await claimNext();
  if (!first) return;
  const others = Array.from({ length: maxParallel - 1 }, async () => syncFrom(await claimNext()));
  await Promise.all([syncFrom(first), ...others]);
}

interface ClaimedSync {
  readonly subscription: SubscriptionRecord;
  readonly leaseId: string;
  /** Monotonic, before the claim was sent. */
  readonly sentAt: number;
}

async function claimSync({ subscriptions, clock }: ProvisioningDeps, leaseMs: number): Promise<ClaimedSync | null> {
  const leaseId = randomUUID();
  const sentAt = monotonicClock.now();
  const leaseUntil = new Date(clock().getTime() + leaseMs);
  const subscription = await subscriptions.claimSync(clock(), leaseUntil, leaseId);
  return subscription && { subscription, leaseId, sentAt };
}

async function syncClaimed(
  deps: ProvisioningDeps,
  { subscription, leaseId, sentAt }: ClaimedSync,
  ttlMs: number,
): Promise<void> {
  const { subscriptions, clock, log } = deps;
  const { id } = subscription;
  const renew = async () => subscriptions.renewSync(id, leaseId, new Date(clock().getTime() + ttlMs));
  const lease = holdLease({ name: 'sync-servers', facts: { itemId: id }, ttlMs, renew, sentAt, log });
  await deps.attempt('sync-servers', id, async () => syncServer(deps, subscription, leaseId, lease.signal));
  await lease.stop();
}

/** Its calls end with the lease, and another process repeats them. */
async function syncServer(
  deps: ProvisioningDeps,
  subscription: SubscriptionRecord,
  leaseId: string,
  signal: AbortSignal,
): Promise<void> {
  const { subscriptions, clock, log } = deps;
  try {
    await applySubscription({ ...deps, signal }, subscription);
    await completeOrder(deps, subscription);
    await subscriptions.endSync(subscription.id, leaseId, subscription.sync.version, subscription.limitsDue);
  } catch (error) {
    const { attempts } = subscription.sync;
    const error_ = messageOf(error);
    const nextAt = new Date(clock().getTime() + backOffMs(attempts));
    log.warn(
      { err: error, subscriptionId: subscription.id, attempts },
      'the server of a subscription could not be synchronised',
    );
    const isRefused = isAppError(error) && error.kind === 'invalid_argument' && attempts >= maxRefusals;
    if (isRefused && (await subscriptions.giveUpSync(subscription.id, error_))) return;
    await subscriptions.failSync(subscription.id, leaseId, nextAt, error_);
  }
}

/** `signal`: the end of the lease. */
type SyncDeps = ProvisioningDeps & { readonly signal: AbortSignal };

async function applySubscription(deps: SyncDeps, subscription: SubscriptionRecord): Promise<void> {
  switch (subscription.status) {
    case 'provisioning':
      return provision(deps, subscription);
    case 'active':
      return activate(deps, subscription);
    case 'suspended':
      return suspend(deps, subscription);
    case 'cancelled':
    case 'terminated':
      return remove(deps, subscription);
    case 'pending':
    case 'failed':
      return;
  }
}

async function provision(deps: SyncDeps, subscription: SubscriptionRecord): Promise<void> {
  const { servers, subscriptions, failpoint, signal } = deps;
  failpoint('provision.claimed');
  const { server } = await servers.createServer(createRequest(subscription), {
    timeoutMs,
    signal,
    idempotencyId: subscription.id,
  });
  if (!server) throw new Error('the servers service made no server');
  failpoint('provision.created');
  await subscriptions.setServer(subscription.id, server.id);
  failpoint('provision.recorded');
  await endProvisioning(deps, subscription.id);
}

/** Reasons that came meanwhile suspend it at once. */
async function endProvisioning({ subscriptions, clock }: SyncDeps, id: string): Promise<void> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const current = await subscriptions.get(id);
    if (current?.status !== 'provisioning') return;
    const { suspendReasons } = current;
    const at = clock();
    const ready = { status: 'active' as const };
    const suspended = { status: 'suspended' as const, suspendedAt: at };
    const change =
      suspendReasons.length === 0
        ? { set: ready, mail: mailEntry(id, 'subscription_ready', at) }
        : { set: suspended, syncAt: at, mail: suspensionMail(id, suspendReasons, at) };
    if (await subscriptions.changeIf(id, { status: ['provisioning'], suspendReasons }, change)) return;
  }
  throw fail('SERVICE_CHANGED', 'the service changes too fast to be activated');
}

/** With each of its services, however far an earlier attempt came: also one that ended before it had a server. */
async function completeOrder(
  { subscriptions, orders }: ProvisioningDeps,
  { orderId }: Pick<SubscriptionRecord, 'orderId'>,
): Promise<void> {
  const bought = await subscriptions.ofOrder(orderId);
  const isComplete = bought.every(({ status }) => status !== 'pending' && status !== 'provisioning');
  if (isComplete) await orders.changeStatus(orderId, ['paid'], 'completed');
}

function createRequest(subscription: SubscriptionRecord) {
  const { server, config } = subscription;
  return {
    name: config.serverName || subscription.productName,
    userId: subscription.userId,
    eggId: server.eggId,
    nodeId: '',
    allocationId: '',
    additionalAllocationIds: [],
    limits: limitsOf(subscription),
    featureLimits: featureLimitsOf(subscription),
    description: '',
    dockerImage: server.dockerImage ?? '',
    startup: '',
    environment: { ...config.environment, ...server.environment },
    startOnCompletion: false,
    skipScripts: false,
    externalId: subscription.id,
    nodeTags: [...server.nodeTags],
    runSettings: runSettingsOf(subscription),
    metered: subscription.plan.interval === 'metered',
  };
}

function limitsOf({ server }: SubscriptionRecord) {
  return {
    memoryMb: server.memoryMb,
    swapMb: server.swapMb,
    diskMb: server.diskMb,
    ioWeight: server.ioWeight,
    cpuPercent: server.cpuPercent,
  };
}

const autoStarts = {
  always: RunSettings_AutoStart.ALWAYS,
  unless_stopped: RunSettings_AutoStart.UNLESS_STOPPED,
  never: RunSettings_AutoStart.NEVER,
} as const;

/** Unset values stay unchanged. */
function runSettingsOf({ server }: SubscriptionRecord): RunSettings {
  const { autoStart, timezone, threads, oomDisabled, stopGraceSeconds } = server;
  const word = autoStart && autoStarts[autoStart];
  return RunSettings.create({ autoStart: word, timezone, threads, oomDisabled, stopGraceSeconds });
}

function featureLimitsOf({ server }: SubscriptionRecord) {
  return { databases: server.databasesLimit, backups: server.backupsLimit, allocations: server.allocationsLimit };
}

async function activate({ servers, signal }: SyncDeps, subscription: SubscriptionRecord): Promise<void> {
  if (subscription.serverId === '') return;
  await servers.unsuspendServer({ serverId: subscription.serverId }, { timeoutMs, signal });
  if (!subscription.limitsDue) return;
  await servers.updateServer(
    {
      serverId: subscription.serverId,
      limits: limitsOf(subscription),
      featureLimits: featureLimitsOf(subscription),
      runSettings: runSettingsOf(subscription),
      environment: {},
      addAllocationIds: [],
      removeAllocationIds: [],
      reinstall: false,
      skipScripts: false,
    },
    { timeoutMs, signal },
  );
}

async function suspend({ servers, signal }: SyncDeps, subscription: SubscriptionRecord): Promise<void> {
  if (subscription.serverId !== '')
    await servers.suspendServer({ serverId: subscription.serverId }, { timeoutMs, signal });
}

/** Ended during creation: only the derived id is available. */
async function remove({ servers, signal }: SyncDeps, subscription: SubscriptionRecord): Promise<void> {
  const serverId = subscription.serverId || createdServerId(subscription.id);
  try {
    await servers.deleteServer({ serverId, force: false }, { timeoutMs, signal });
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'not_found') throw error;
  }
}

export function createdServerId(subscriptionId: string): string {
  const { path } = ServerServiceService.createServer;
  return deriveIdempotencyId(subscriptionId, serviceActor('billing'), path)?.idempotencyId ?? subscriptionId;
}
