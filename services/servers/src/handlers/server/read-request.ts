import { invalidFields } from '@panel/kit/errors';
import { type PageQuery, parsePage } from '@panel/kit/mongo';
import { wordOf } from '@panel/kit/records';
import {
  type CreateServerRequest,
  type ListServersRequest,
  ListServersRequest_Scope,
  type ResolveFeatureRequest,
  type RunSettings as RunSettingsMessage,
  RunSettings_AutoStart,
  Server_Status,
  type TransferServerRequest,
  type UpdateServerRequest,
} from '@panel/protos/servers';
import { definedFields } from '../../defined-fields.js';
import type { NewServer } from '../../domain/servers/new-server.js';
import type { RunSettings } from '../../domain/servers/run-settings.js';
import type { FeatureRequest } from '../../usecases/servers/resolve-feature.js';
import type { UpdateRequest } from '../../usecases/servers/update-server.js';
import type { ServerFilter } from '../../usecases/servers/view-server.js';
import type { TransferRequest } from '../../usecases/transfers/transfer-server.js';

const defaultIoWeight = 500;
const defaultAllocations = 1;

export const sortable = {
  created_at: 'createdAt',
  name: 'nameKey',
  status: 'status',
  memory: 'limits.memoryMb',
  cpu: 'limits.cpuPercent',
  disk: 'limits.diskMb',
};

export function readNewServer(request: CreateServerRequest): NewServer {
  const { limits, featureLimits } = request;
  return {
    name: request.name,
    userId: request.userId,
    eggId: request.eggId,
    nodeId: request.nodeId,
    allocationId: request.allocationId,
    additionalAllocationIds: request.additionalAllocationIds,
    nodeTags: request.nodeTags,
    limits: {
      memoryMb: limits?.memoryMb ?? 0,
      swapMb: limits?.swapMb ?? 0,
      diskMb: limits?.diskMb ?? 0,
      ioWeight: limits?.ioWeight || defaultIoWeight,
      cpuPercent: limits?.cpuPercent ?? 0,
    },
    featureLimits: {
      databases: featureLimits?.databases ?? 0,
      backups: featureLimits?.backups ?? 0,
      allocations: featureLimits?.allocations ?? defaultAllocations,
    },
    description: request.description,
    dockerImage: request.dockerImage,
    startup: request.startup,
    environment: request.environment,
    startOnCompletion: request.startOnCompletion,
    skipScripts: request.skipScripts,
    externalId: request.externalId,
    adoptedId: request.adoptedId ?? '',
    isMetered: request.metered ?? false,
    runSettings: readRunSettings(request.runSettings),
  };
}

export function readServerUpdate(request: UpdateServerRequest): UpdateRequest {
  const { limits = {}, featureLimits = {} } = request;
  return {
    name: request.name,
    description: request.description,
    userId: request.userId,
    externalId: request.externalId,
    limits: definedFields(limits),
    featureLimits: definedFields(featureLimits),
    runSettings: readRunSettings(request.runSettings),
    dockerImage: request.dockerImage,
    startup: request.startup,
    environment: request.environment,
    allocationId: request.allocationId,
    addAllocationIds: request.addAllocationIds,
    removeAllocationIds: request.removeAllocationIds,
    eggId: request.eggId,
    reinstall: request.reinstall,
    skipScripts: request.skipScripts,
  };
}

function readRunSettings(message: RunSettingsMessage | undefined): Partial<RunSettings> {
  if (!message) return {};
  const { autoStart, timezone, threads, oomDisabled, stopGraceSeconds } = message;
  return definedFields({
    autoStart: autoStart && (wordOf(RunSettings_AutoStart, autoStart) ?? undefined),
    timezone,
    threads: threads?.replaceAll(' ', ''),
    isOomKillDisabled: oomDisabled,
    stopGraceSeconds: stopGraceSeconds === 0 ? null : stopGraceSeconds,
  });
}

/** Throws INVALID_FIELDS without a scope, or for filters of the staff scope. */
export function readServerFilter(request: ListServersRequest): ServerFilter {
  const { scope, userId, nodeId, eggId, externalId } = request;
  const isAll = scope === ListServersRequest_Scope.ALL;
  if (!isAll && scope !== ListServersRequest_Scope.OWN)
    throw invalidFields({ scope: ['must be SCOPE_OWN (servers of the actor) or SCOPE_ALL (all, for staff)'] });
  const isFiltered = [userId, nodeId, eggId, externalId].some((value) => value !== '');
  if (!isAll && isFiltered)
    throw invalidFields({ scope: ['must be SCOPE_ALL with user_id, node_id, egg_id or external_id'] });
  const only = {
    ...(userId !== '' && { ownerId: userId }),
    ...(nodeId !== '' && { nodeId }),
    ...(eggId !== '' && { eggId }),
    ...(externalId !== '' && { externalId }),
  };
  return { isAll, status: wordOf(Server_Status, request.status), only };
}

export function readServerPage({ page }: ListServersRequest): PageQuery {
  return parsePage(page, sortable);
}

export function readFeature({
  feature,
  dockerImage,
  javaVersion,
  token,
  restart,
}: ResolveFeatureRequest): FeatureRequest {
  return {
    feature,
    dockerImage: dockerImage || null,
    javaVersion: javaVersion || null,
    token: token || null,
    isRestarted: restart,
  };
}

export function readTransfer(request: TransferServerRequest): TransferRequest {
  const { nodeId, allocationId, additionalAllocationIds, backupId = null, hasFiles = false } = request;
  const additional = additionalAllocationIds?.allocationIds ?? null;
  return { nodeId, allocationId, additionalAllocationIds: additional, backupId, hasFiles };
}
