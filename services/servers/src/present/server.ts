import {
  type Allocation as AllocationMessage,
  type Operation as OperationMessage,
  Operation_Kind,
  PowerAction as PowerActionMessage,
  PowerState as PowerStateMessage,
  type RunSettings as RunSettingsMessage,
  RunSettings_AutoStart,
  Server as ServerMessage,
  Server_Status,
  type ServerVariable,
  type TransferResult as TransferResultMessage,
  TransferResult_Outcome,
} from '@panel/protos/servers';
import type { EggVariable } from '../domain/eggs/egg.js';
import { type Access, allows } from '../domain/servers/access.js';
import type { ServerAllocation } from '../domain/allocations/allocation.js';
import { type AutoStart, runSettingsOf } from '../domain/servers/run-settings.js';
import { effectiveValues, environmentOf, renderStartup } from '../domain/servers/environment.js';
import {
  isEngineReported,
  type PowerAction,
  type PowerState,
  type ServerStatus,
  type ServerView,
  type TransferResult,
  type VisibleOperation,
  visibleOperation,
} from '../domain/servers/server.js';
import type { VisibleServer } from '../usecases/servers/view-server.js';
import { presentServerAllocation } from './allocation.js';
import { keyOf } from './words.js';

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
    status: presentStatus(visibleStatus(visible)),
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
  return renderStartup(server.startup, environment, new Set(hidden.map(({ envVariable }) => envVariable)));
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
  return {
    name: variable.name,
    description: variable.description,
    envVariable: variable.envVariable,
    defaultValue: variable.defaultValue,
    serverValue,
    isEditable: asStaff || variable.userEditable,
    rules: [...variable.rules],
  };
}

export function presentOperation(operation: VisibleOperation | null): OperationMessage | undefined {
  if (!operation) return undefined;
  return {
    id: operation.id,
    kind: operationKinds[operation.kind],
    step: operation.step,
    progressPercent: operation.progress,
    startTime: operation.startedAt,
  };
}

function presentRunSettings(server: ServerView): RunSettingsMessage {
  const { autoStart, timezone, threads, isOomKillDisabled, stopGraceSeconds } = runSettingsOf(server);
  return {
    autoStart: autoStartMessages[autoStart],
    timezone,
    threads,
    oomDisabled: isOomKillDisabled,
    stopGraceSeconds: stopGraceSeconds ?? 0,
  };
}

export const autoStartMessages: Readonly<Record<AutoStart, RunSettings_AutoStart>> = {
  always: RunSettings_AutoStart.ALWAYS,
  unless_stopped: RunSettings_AutoStart.UNLESS_STOPPED,
  never: RunSettings_AutoStart.NEVER,
};

function presentTransferResult(result: TransferResult | null): TransferResultMessage | undefined {
  if (!result) return undefined;
  return {
    outcome: transferOutcomes[result.outcome],
    sourceNodeId: result.sourceNodeId,
    targetNodeId: result.targetNodeId,
    error: result.error ?? '',
    endTime: result.at,
  };
}

const transferOutcomes: Readonly<Record<TransferResult['outcome'], TransferResult_Outcome>> = {
  completed: TransferResult_Outcome.COMPLETED,
  cancelled: TransferResult_Outcome.CANCELLED,
  failed: TransferResult_Outcome.FAILED,
};

const operationKinds: Readonly<Record<VisibleOperation['kind'], Operation_Kind>> = {
  backing_up: Operation_Kind.BACKING_UP,
  installing: Operation_Kind.INSTALLING,
  reinstalling: Operation_Kind.REINSTALLING,
  transferring: Operation_Kind.TRANSFERRING,
  restoring: Operation_Kind.RESTORING,
  deleting: Operation_Kind.DELETING,
};

const powerStateMessages: Readonly<Record<PowerState, PowerStateMessage>> = {
  offline: PowerStateMessage.OFFLINE,
  starting: PowerStateMessage.STARTING,
  running: PowerStateMessage.RUNNING,
  stopping: PowerStateMessage.STOPPING,
};

export function presentPowerState(state: PowerState): PowerStateMessage {
  return powerStateMessages[state];
}

export const serverStatuses: Readonly<Record<ServerStatus | 'unknown', Server_Status>> = {
  offline: Server_Status.OFFLINE,
  starting: Server_Status.STARTING,
  running: Server_Status.RUNNING,
  stopping: Server_Status.STOPPING,
  installing: Server_Status.INSTALLING,
  install_failed: Server_Status.INSTALL_FAILED,
  reinstalling: Server_Status.REINSTALLING,
  suspended: Server_Status.SUSPENDED,
  transferring: Server_Status.TRANSFERRING,
  restoring: Server_Status.RESTORING,
  deleting: Server_Status.DELETING,
  unknown: Server_Status.UNKNOWN,
};

function presentStatus(status: ServerStatus | 'unknown'): Server_Status {
  return serverStatuses[status];
}

export function presentPowerAction(action: PowerAction): PowerActionMessage {
  return powerActionMessages[action];
}

const powerActionMessages: Readonly<Record<PowerAction, PowerActionMessage>> = {
  start: PowerActionMessage.START,
  stop: PowerActionMessage.STOP,
  restart: PowerActionMessage.RESTART,
  kill: PowerActionMessage.KILL,
};

/** Null: unspecified. */
export function readPowerAction(action: PowerActionMessage): PowerAction | null {
  return keyOf(powerActionMessages, action) ?? null;
}
