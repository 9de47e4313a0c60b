import {
  type Allocation,
  type InstallLogLine,
  type Operation,
  PowerAction,
  type PowerOperation,
  PowerState,
  type Resources,
  type Server,
  Server_Status,
  type ServerVariable,
} from '@panel/protos/servers';
import type { z } from 'zod';
import { enumWord, failureOrNull, isoTime, isoTimeOf, required, textOrNull } from '../../declaration/present.js';
import type {
  clientAllocation,
  installLogLine,
  operation,
  powerActions,
  powerOperation,
  powerStates,
  resources,
  server,
  serverStatuses,
  startup,
} from './schema.js';

export type PresentedServer = z.input<typeof server>;
type StatusWord = (typeof serverStatuses)[number];
type PowerStateWord = (typeof powerStates)[number];

export function presentServer(message: Server | undefined): PresentedServer {
  const found = required(message, 'server');
  const limits = required(found.limits, 'limits');
  const features = required(found.featureLimits, 'feature limits');
  return {
    id: found.id,
    uuid_short: found.uuidShort,
    name: found.name,
    description: found.description,
    status: statusWord(found.status),
    suspended: found.suspended,
    memory: limits.memoryMb,
    cpu: limits.cpuPercent,
    disk: limits.diskMb,
    limits: {
      memory: limits.memoryMb,
      swap: limits.swapMb,
      disk: limits.diskMb,
      io: limits.ioWeight,
      cpu: limits.cpuPercent,
    },
    feature_limits: { databases: features.databases, backups: features.backups, allocations: features.allocations },
    is_owner: found.isOwner,
    permissions: found.permissions,
    node: found.node ? { id: found.node.id, name: found.node.name } : null,
    egg: found.egg ? { id: found.egg.id, name: found.egg.name } : null,
    allocation: found.allocation ? presentServerAllocation(found.allocation) : null,
    allocations: found.allocations.map(presentServerAllocation),
    docker_image: found.dockerImage,
    startup: found.startup,
    variables: found.variables.map(presentVariable),
    operation: found.operation ? presentOperation(found.operation) : null,
    install_error: failureOrNull(found.installError),
    install_exit_code: found.installExitCode ?? null,
    created_at: isoTimeOf(found.createTime),
    updated_at: isoTimeOf(found.updateTime),
  };
}

function presentServerAllocation({ id, ip, alias, port }: Allocation): PresentedServer['allocations'][number] {
  return { id, ip, alias: textOrNull(alias), port };
}

function presentVariable(variable: ServerVariable): PresentedServer['variables'][number] {
  return {
    name: variable.name,
    description: variable.description,
    env_variable: variable.envVariable,
    default_value: variable.defaultValue,
    server_value: variable.serverValue,
    is_editable: variable.isEditable,
    rules: variable.rules,
  };
}

export function presentOperation(message: Operation): z.input<typeof operation> {
  return {
    kind: enumWord(message.kind, 'KIND_') as z.input<typeof operation>['kind'],
    step: message.step,
    progress: message.progressPercent,
    started_at: isoTime(message.startTime),
  };
}

export function presentPowerOperation(message: PowerOperation | undefined): z.input<typeof powerOperation> {
  const found = required(message, 'power operation');
  return {
    id: found.id,
    action: enumWord(found.action, 'POWER_ACTION_'),
    state: enumWord(found.state, 'STATE_'),
    error: textOrNull(found.error),
    started_at: isoTimeOf(found.startTime),
    ended_at: isoTime(found.endTime),
  } as z.input<typeof powerOperation>;
}

export function presentResources(message: Resources | undefined): z.input<typeof resources> {
  const usage = required(message, 'resources');
  return {
    state: powerStateWord(usage.state),
    suspended: usage.suspended,
    uptime: usage.uptimeMs,
    cpu: usage.cpuPercent,
    cpu_absolute: usage.cpuPercent,
    memory: usage.memoryBytes,
    memory_bytes: usage.memoryBytes,
    memory_limit_bytes: usage.memoryLimitBytes,
    disk: usage.diskBytes,
    disk_bytes: usage.diskBytes,
    network: { rx_bytes: usage.networkRxBytes, tx_bytes: usage.networkTxBytes },
    observed_at: isoTime(usage.observeTime),
  };
}

export function presentStartup(message: Server | undefined): z.input<typeof startup> {
  const found = required(message, 'server');
  return {
    startup: found.startup,
    startup_command: found.startupCommands.find(({ command }) => command === found.startup)?.label ?? null,
    startup_commands: Object.fromEntries(found.startupCommands.map(({ label, command }) => [label, command])),
    invocation: found.invocation,
    docker_image: found.dockerImage,
    variables: found.variables.map(presentVariable),
  };
}

export function presentClientAllocation(message: Allocation, primaryId: string): z.input<typeof clientAllocation> {
  const { id, notes } = message;
  return { ...presentServerAllocation(message), notes: textOrNull(notes), is_primary: id === primaryId };
}

export function presentInstallLine(line: InstallLogLine): z.input<typeof installLogLine> {
  return { message: line.text, step: line.step, at: isoTime(line.time) };
}

function statusWord(status: Server_Status): StatusWord {
  return status === Server_Status.UNSPECIFIED ? 'unknown' : (enumWord(status, 'STATUS_') as StatusWord);
}

export function statusOf(word: StatusWord | undefined): Server_Status {
  return word === undefined
    ? Server_Status.UNSPECIFIED
    : Server_Status[word.toUpperCase() as keyof typeof Server_Status];
}

/** An unknown state is shown as offline: the socket and the resources have power states only. */
export function powerStateWord(state: PowerState): PowerStateWord {
  return state === PowerState.UNSPECIFIED ? 'offline' : (enumWord(state, 'POWER_STATE_') as PowerStateWord);
}

const actions: Record<(typeof powerActions)[number], PowerAction> = {
  start: PowerAction.START,
  stop: PowerAction.STOP,
  restart: PowerAction.RESTART,
  kill: PowerAction.KILL,
};

export function powerActionOf(word: (typeof powerActions)[number]): PowerAction {
  return actions[word];
}
