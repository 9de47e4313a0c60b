import { isAppError, messageOf } from '@panel/kit/errors';
import { deriveIdempotencyId, serviceActor } from '@panel/rpc';
import { RunSettings, RunSettings_AutoStart, ServerServiceService } from '@panel/protos/servers';
import type { BillingContext } from '../../context.js';
import { backOffMs } from '../../domain/back-off.js';
import type { ServiceRecord } from '../../models/service.js';
import { mailEntry } from '../mail/mail-entry.js';

/** Longer than any call below may take, so that two processes never work on one server at once. */
const leaseMs = 60_000;
const timeoutMs = 20_000;
/** Refusals that waiting does not mend: after so many the service waits for an operator. */
const maxRefusals = 5;
const maxParallel = 4;

/**
 * Bring servers to what their services say: created, suspended, in use, with other limits, or gone. Calls to `servers` can
 * all be repeated: a server is created under the id of its service, so that there is one of it after any crash.
 */
export async function syncServers(context: BillingContext, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: maxParallel }, async () => syncUntilDone(context, signal)));
}

async function syncUntilDone(context: BillingContext, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const now = context.clock();
    const service = await context.services.claimSync(now, new Date(now.getTime() + leaseMs));
    if (!service) return;
    await context.attempt('sync-servers', service.id, async () => syncServer(context, service));
  }
}

async function syncServer(context: BillingContext, service: ServiceRecord): Promise<void> {
  const { services, clock, log } = context;
  try {
    await applyService(context, service);
    await services.endSync(service.id, service.sync.version, service.limitsDue);
  } catch (error) {
    const { attempts } = service.sync;
    const error_ = messageOf(error);
    const nextAt = new Date(clock().getTime() + backOffMs(attempts));
    log.warn(
      { err: error, serviceId: service.id, attempts },
      'the server of a service could not be brought up to date',
    );
    const isRefused = isAppError(error) && error.kind === 'invalid_argument' && attempts >= maxRefusals;
    if (isRefused && (await services.giveUpSync(service.id, error_))) return;
    await services.failSync(service.id, nextAt, error_);
  }
}

async function applyService(context: BillingContext, service: ServiceRecord): Promise<void> {
  switch (service.status) {
    case 'provisioning':
      return provision(context, service);
    case 'active':
      return activate(context, service);
    case 'suspended':
      return suspend(context, service);
    case 'cancelled':
    case 'terminated':
      return remove(context, service);
    case 'pending':
    case 'failed':
      return;
  }
}

async function provision(context: BillingContext, service: ServiceRecord): Promise<void> {
  const { servers, services, orders, failpoint, clock } = context;
  failpoint('provision.claimed');
  const { server } = await servers.createServer(createRequest(service), { timeoutMs, idempotencyId: service.id });
  if (!server) throw new Error('the servers service made no server');
  failpoint('provision.created');
  await services.setServer(service.id, server.id);
  failpoint('provision.recorded');
  const active = await services.changeIf(
    service.id,
    { status: ['provisioning'] },
    { set: { status: 'active' }, mail: mailEntry(service.id, 'service_ready', clock()) },
  );
  if (!active) return;
  const others = await services.ofOrder(service.orderId);
  const isComplete = others.every(({ status }) => status !== 'pending' && status !== 'provisioning');
  if (isComplete) await orders.changeStatus(service.orderId, ['paid'], 'completed');
}

function createRequest(service: ServiceRecord) {
  const { server, config } = service;
  return {
    name: config.serverName || service.productName,
    userId: service.userId,
    eggId: server.eggId,
    nodeId: '',
    allocationId: '',
    additionalAllocationIds: [],
    limits: limitsOf(service),
    featureLimits: featureLimitsOf(service),
    description: '',
    dockerImage: server.dockerImage ?? '',
    startup: '',
    // What the product says wins: a customer chooses only what it leaves open.
    environment: { ...config.environment, ...server.environment },
    startOnCompletion: false,
    skipScripts: false,
    externalId: service.id,
    nodeTags: [...server.nodeTags],
    runSettings: runSettingsOf(service),
    metered: service.plan.interval === 'metered',
  };
}

function limitsOf({ server }: ServiceRecord) {
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

/** What the product says; the rest stays as it is. */
function runSettingsOf({ server }: ServiceRecord): RunSettings {
  const { autoStart, timezone, threads, oomDisabled, stopGraceSeconds } = server;
  const word = autoStart && autoStarts[autoStart];
  return RunSettings.create({ autoStart: word, timezone, threads, oomDisabled, stopGraceSeconds });
}

function featureLimitsOf({ server }: ServiceRecord) {
  return { databases: server.databasesLimit, backups: server.backupsLimit, allocations: server.allocationsLimit };
}

async function activate({ servers }: BillingContext, service: ServiceRecord): Promise<void> {
  if (service.serverId === '') return;
  await servers.unsuspendServer({ serverId: service.serverId }, { timeoutMs });
  if (!service.limitsDue) return;
  await servers.updateServer(
    {
      serverId: service.serverId,
      limits: limitsOf(service),
      featureLimits: featureLimitsOf(service),
      runSettings: runSettingsOf(service),
      environment: {},
      addAllocationIds: [],
      removeAllocationIds: [],
      reinstall: false,
      skipScripts: false,
    },
    { timeoutMs },
  );
}

async function suspend({ servers }: BillingContext, service: ServiceRecord): Promise<void> {
  if (service.serverId !== '') await servers.suspendServer({ serverId: service.serverId }, { timeoutMs });
}

/** Of a service that ended while its server was being created only the id is known under which it would be there. */
async function remove({ servers }: BillingContext, service: ServiceRecord): Promise<void> {
  const serverId = service.serverId || createdServerId(service.id);
  try {
    await servers.deleteServer({ serverId, force: false }, { timeoutMs });
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'not_found') throw error;
  }
}

/** The id `servers` gives the server that billing creates for a service. */
export function createdServerId(serviceId: string): string {
  const { path } = ServerServiceService.createServer;
  return deriveIdempotencyId(serviceId, serviceActor('billing'), path)?.idempotencyId ?? serviceId;
}
