import { assertNever, isAppError } from '@panel/kit/errors';
import { ListServersRequest, ListServersRequest_Scope, Server_Status } from '@panel/protos/servers';
import type { BillingContext } from '../../context.js';
import { isRecurring } from '../../domain/calendar.js';
import { isEnded } from '../../domain/service.js';
import type { ServiceRecord } from '../../models/service.js';
import { unsuspendService } from '../services/update-service.js';
import { endService } from '../services/end-service.js';
import type { Finding } from './reconcile.js';

/** A server as the servers service has it. */
interface Running {
  readonly id: string;
  readonly isSuspended: boolean;
  readonly isBroken: boolean;
}

const pageSize = 100;
const servicesPerPage = 500;
const timeoutMs = 20_000;
/** Work that has been in progress for so long is stuck. */
const stuckMs = 60 * 60_000;

/**
 * Compare services with servers, a page of services after another: never all of them in memory. Services whose server is being
 * worked on anyway are left to that work.
 */
export async function compareServices(context: BillingContext, signal: AbortSignal): Promise<Finding[]> {
  const servers = await readServers(context, signal);
  const findings: Finding[] = [];
  let lastId = '';
  while (!signal.aborted) {
    const page = await context.services.pageAfter(lastId, servicesPerPage);
    for (const service of page) {
      if (signal.aborted) return findings;
      try {
        const found = await compareService(context, service, servers.get(service.id));
        if (found) findings.push({ reference: service.id, ...found });
      } catch (error) {
        // A service that is away is away for all the others, too; a damaged record is alone.
        if (isAppError(error)) throw error;
        await context.attempt('reconcile', service.id, async () => Promise.reject(error));
      }
    }
    if (page.length < servicesPerPage) break;
    lastId = page.at(-1)?.id ?? '';
  }
  return findings;
}

/** Servers by their external id, which is that of the service. */
async function readServers({ servers }: BillingContext, signal: AbortSignal): Promise<Map<string, Running>> {
  const found = new Map<string, Running>();
  for (let page = 1; !signal.aborted; page++) {
    const request = { page: { page, perPage: pageSize, sort: ['created_at'], search: '' } };
    const all = ListServersRequest.create({ ...request, scope: ListServersRequest_Scope.ALL });
    const answer = await servers.listServers(all, { timeoutMs });
    for (const { id, externalId, suspended, status } of answer.servers) {
      const isBroken = status === Server_Status.INSTALL_FAILED;
      if (externalId !== '') found.set(externalId, { id, isSuspended: suspended, isBroken });
    }
    if (answer.servers.length < pageSize) break;
  }
  return found;
}

type Found = Omit<Finding, 'reference'> | null;

async function compareService(
  context: BillingContext,
  service: ServiceRecord,
  server: Running | undefined,
): Promise<Found> {
  switch (service.status) {
    case 'active':
      return (await compareActive(context, service, server)) ?? compareRenewal(context, service);
    case 'suspended':
      return compareSuspended(context, service, server);
    case 'provisioning':
      return compareProvisioning(context, service);
    case 'failed':
      return notRunning(`its server could not be created: ${service.sync.lastError}`);
    case 'pending':
      return server ? unpaid('its order is not paid, and it has a server', false) : null;
    case 'cancelled':
    case 'terminated':
      return server && isIdle(service)
        ? repairByRetry(context, service, 'running_not_paid', 'it has ended, and its server is there')
        : null;
    default:
      return assertNever(service.status);
  }
}

/** Whether nothing is being done to its server. */
function isIdle({ sync }: ServiceRecord): boolean {
  return sync.dueAt === null;
}

const notRunning = (detail: string): Found => ({ kind: 'paid_not_running', detail, repaired: false });
const unpaid = (detail: string, repaired: boolean): Found => ({ kind: 'running_not_paid', detail, repaired });

/** Have its server brought to what the service says once more. */
async function repairByRetry(
  context: BillingContext,
  service: ServiceRecord,
  kind: Finding['kind'],
  detail: string,
): Promise<Found> {
  await context.services.retrySync(service.id, context.clock());
  context.runJob('sync-servers');
  return { kind, detail, repaired: true };
}

async function compareActive(
  context: BillingContext,
  service: ServiceRecord,
  server: Running | undefined,
): Promise<Found> {
  if (!isIdle(service)) return null;
  if (!server) return confirmMissing(context, service);
  if (server.isBroken) return notRunning('the installation of its server has failed');
  if (server.isSuspended) return repairByRetry(context, service, 'suspended_but_paid', 'its server is suspended');
  return null;
}

/** Lists can miss what moves between their pages, or is created after them: the server itself is asked for. */
async function confirmMissing({ servers }: BillingContext, { serverId }: ServiceRecord): Promise<Found> {
  try {
    await servers.getServer({ serverId, asStaff: true }, { timeoutMs });
    return null;
  } catch (error) {
    if (!isAppError(error) || error.kind !== 'not_found') throw error;
    // Its files are lost: an operator decides between another server and a refund.
    return notRunning('its server is gone');
  }
}

async function compareSuspended(
  context: BillingContext,
  service: ServiceRecord,
  server: Running | undefined,
): Promise<Found> {
  const isPaid = service.nextDueAt !== null && service.nextDueAt > context.clock();
  if (service.suspendReason === 'overdue' && isPaid) {
    try {
      await unsuspendService(context, service);
    } catch (error) {
      if (!isAppError(error, 'SERVICE_NOT_ACTIVE')) throw error;
    }
    return { kind: 'suspended_but_paid', detail: 'its period is paid', repaired: true };
  }
  const isRunning = server && !server.isSuspended && isIdle(service);
  return isRunning ? repairByRetry(context, service, 'running_not_paid', 'its server is not suspended') : null;
}

function compareProvisioning({ clock }: BillingContext, { anchorAt, sync }: ServiceRecord): Found {
  const isStuck = anchorAt !== null && clock().getTime() - anchorAt.getTime() > stuckMs;
  return isStuck ? notRunning(`its server is not created yet: ${sync.lastError}`) : null;
}

/** A period that is over must have an invoice that is open, or an invoice is due. */
async function compareRenewal(context: BillingContext, service: ServiceRecord): Promise<Found> {
  const { id, nextDueAt, renewAt, plan, cancelAtPeriodEnd } = service;
  const now = context.clock();
  const isOver = isRecurring(plan.interval) && nextDueAt !== null && now.getTime() - nextDueAt.getTime() > stuckMs;
  if (!isOver || renewAt !== null || isEnded(service.status)) return null;
  if ((await context.invoices.openOfService(id)).length > 0) return null;
  if (cancelAtPeriodEnd) {
    await endService(context, id, 'cancelled');
    return unpaid('its last period was over', true);
  }
  const renewed = await context.services.changeIf(
    id,
    { status: ['active'], nextDueAt, renewAt: null },
    { set: { renewAt: now, renewalSerial: service.renewalSerial + 1 } },
  );
  return renewed && unpaid('its period is over and no invoice is open', true);
}
