import { enumOf, messageFields } from '@panel/kit/records';
import {
  type Allocation as AllocationMessage,
  type Operation as OperationMessage,
  Operation_Kind,
  type RunSettings as RunSettingsMessage,
  RunSettings_AutoStart,
  Server as ServerMessage,
  Server_Status,
  type ServerVariable,
  type TransferResult as TransferResultMessage,
  TransferResult_Outcome,
} from '@panel/protos/servers';
import { type EggVariable, namesOfVariable } from '../domain/eggs/egg.js';
import { type Access, allows } from '../domain/servers/access.js';
import type { Allocation, ServerAllocation } from '../domain/allocations/allocation.js';
import { runSettingsOf } from '../domain/servers/run-settings.js';
import { effectiveValues, environmentOf, renderStartup } from '../domain/servers/environment.js';
import {
  isEngineReported,
  type ServerStatus,
  type ServerView,
  type TransferResult,
  type VisibleOperation,
  visibleOperation,
} from '../domain/servers/server.js';
import type { VisibleServer } from '../usecases/servers/view-server.js';
import type { NotedAllocation } from '../usecases/allocations/list-allocations.js';

interface Omissions {
  /** Startup commands; the rendered one costs more than all other fields. */
  readonly withoutCommands?: boolean;
  /** Lists send shared variables once. */
  readonly withoutVariables?: boolean;
}

export function presentServer(
  visible: VisibleServer,
  { withoutCommands = false, withoutVariables = false }: Omissions = {},
): ServerMessage {
  const { server, access, asStaff } = visible;
  const primary = server.allocations.find(({ id }) => id === server.allocationId);
  const allocation = primary && presentServerAllocation(server, primary);
  return {
    id: server.id,
    uuidShort: server.uuidShort,
    name: server.name,
    description: server.description,
    status: enumOf(Server_Status, visibleStatus(visible)),
    suspended: server.suspended,
    userId: server.userId,
    externalId: asStaff ? (server.externalId ?? '') : '',
    node: { id: server.nodeId, name: server.nodeName },
    egg: { id: server.eggId, name: server.egg.name },
    allocation,
    allocations: [...(allocation ? [allocation] : []), ...otherAllocations(server, access)],
    limits: { ...server.limits },
    featureLimits: { ...server.featureLimits },
    runSettings: asStaff ? presentRunSettings(server) : undefined,
    dockerImage: server.dockerImage,
    startup: server.startup,
    startupCommands: withoutCommands ? [] : presentStartupCommands(server),
    invocation: withoutCommands ? '' : invocationOf(visible, primary),
    variables: withoutVariables ? [] : presentVariables(visible),
    variableValues: [],
    operation: presentOperation(visibleOperation(server.operation, server.backup)),
    lastTransfer: asStaff ? presentTransferResult(server.lastTransfer ?? null) : undefined,
    installError: server.install.error ?? '',
    installExitCode: server.install.exitCode ?? undefined,
    installRepeatable: asStaff && server.install.isRepeatable === true,
    isOwner: access.isOwner,
    permissions: [...access.permissions],
    createTime: server.createdAt,
    updateTime: server.updatedAt,
  };
}

/** Staff see only the identity of a damaged record. */
export function presentDamagedServer({
  id,
  uuidShort,
  name,
  userId,
  nodeId,
  nodeName,
  eggId,
}: ServerView): ServerMessage {
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return ServerMessage.create({
    id,
    uuidShort: text(uuidShort),
    name: text(name),
    description: 'The record of this server is damaged: see the log of the servers service.',
    status: Server_Status.UNKNOWN,
    userId: text(userId),
    node: { id: text(nodeId), name: text(nodeName) },
    egg: { id: text(eggId), name: '' },
    limits: {},
    featureLimits: {},
    createTime: new Date(0),
    updateTime: new Date(0),
  });
}

function presentStartupCommands({ egg }: ServerView): ServerMessage['startupCommands'] {
  return egg.startupCommands.map(({ label, command }) => ({ label, command }));
}

/** Without the primary one; by permission. */
function otherAllocations(server: ServerView, access: Access): AllocationMessage[] {
  if (!allows(access, 'allocation.read')) return [];
  const others = server.allocations.filter(({ id }) => id !== server.allocationId);
  return others.map((other) => presentServerAllocation(server, other));
}

/** Power states are unconfirmed without the engine; others are the panel's own. */
function visibleStatus({ server: { status }, isNodeOnline }: VisibleServer): ServerStatus | 'unknown' {
  return isEngineReported(status) && !isNodeOnline ? 'unknown' : status;
}

function invocationOf({ server, asStaff, timezone }: VisibleServer, primary: ServerAllocation | undefined): string {
  const environment = environmentOf(server, { ip: primary?.ip ?? '', port: primary?.port ?? 0 }, timezone);
  const hidden = server.egg.variables.filter(({ userViewable }) => !userViewable && !asStaff);
  return renderStartup(server.startup, environment, new Set(hidden.flatMap(namesOfVariable)));
}

/** Staff see all, users the visible ones. */
function presentVariables(visible: VisibleServer): ServerVariable[] {
  const { server, asStaff } = visible;
  const values = effectiveValues(server.egg.variables, server.environment);
  return visibleVariables(visible).map((variable) =>
    presentVariable(variable, values[variable.envVariable] ?? '', asStaff),
  );
}

export function visibleVariables({ server: { egg }, asStaff, access }: VisibleServer): readonly EggVariable[] {
  return allows(access, 'startup.read') ? egg.variables.filter(({ userViewable }) => asStaff || userViewable) : [];
}

export function presentVariable(variable: EggVariable, serverValue: string, asStaff: boolean): ServerVariable {
  const { userViewable: _viewable, userEditable, ...shown } = variable;
  return { ...messageFields(shown), serverValue, isEditable: asStaff || userEditable };
}

export function presentOperation(operation: VisibleOperation | null): OperationMessage | undefined {
  if (!operation) return undefined;
  return {
    id: operation.id,
    kind: enumOf(Operation_Kind, operation.kind),
    step: operation.step,
    progressPercent: operation.progress,
    startTime: operation.startedAt,
    problem: operation.problem ?? undefined,
  };
}

function presentRunSettings(server: ServerView): RunSettingsMessage {
  const { autoStart, timezone, threads, isOomKillDisabled, stopGraceSeconds } = runSettingsOf(server);
  return {
    autoStart: enumOf(RunSettings_AutoStart, autoStart),
    timezone,
    threads,
    oomDisabled: isOomKillDisabled,
    stopGraceSeconds: stopGraceSeconds ?? 0,
  };
}

function presentTransferResult(result: TransferResult | null): TransferResultMessage | undefined {
  if (!result) return undefined;
  const { outcome, error, at } = result;
  return { ...result, outcome: enumOf(TransferResult_Outcome, outcome), error: error ?? '', endTime: at };
}

/** `notes` are those of its server. */
export function presentAllocation(allocation: Allocation & Partial<NotedAllocation>): AllocationMessage {
  const { id, nodeId, ip, alias, port, serverId, notes = '', warning = '' } = allocation;
  return { id, nodeId, ip, alias, port, serverId: serverId ?? '', notes, warning };
}

export function presentServerAllocation(
  server: { readonly id: string; readonly nodeId: string },
  { id, ip, alias, port, notes }: ServerAllocation,
): AllocationMessage {
  return { id, nodeId: server.nodeId, ip, alias, port, serverId: server.id, notes, warning: '' };
}
