import {
  count,
  date,
  flag,
  id,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  part,
  type RecordOf,
  text,
  textMap,
  withDefault,
} from '@panel/kit/records';
import {
  dockerImageFields,
  eggConfigFields,
  eggVariableFields,
  installScriptFields,
  startupCommandFields,
} from '../eggs/egg.js';
import { subuserFields } from '../subusers/subuser.js';
import { serverAllocationFields } from '../allocations/allocation.js';
import { subuserRoleFields } from '../subusers/roles.js';
import { runSettingsFields } from './run-settings.js';

export interface ServerView extends Pick<
  GameServer,
  | 'id'
  | 'uuidShort'
  | 'name'
  | 'description'
  | 'userId'
  | 'externalId'
  | 'nodeId'
  | 'nodeName'
  | 'allocationId'
  | 'allocations'
  | 'eggId'
  | 'dockerImage'
  | 'startup'
  | 'environment'
  | 'limits'
  | 'featureLimits'
  | 'runSettings'
  | 'suspended'
  | 'lastTransfer'
  | 'subusers'
  | 'status'
  | 'createdAt'
  | 'updatedAt'
> {
  readonly egg: Pick<EggSnapshot, 'name' | 'startupCommands' | 'variables'>;
  readonly install: Pick<InstallState, 'error' | 'exitCode' | 'isRepeatable'>;
  readonly operation: Pick<Operation, 'id' | 'kind' | 'step' | 'progress' | 'startedAt'> | null;
  readonly backup?: Pick<BackupRun, 'id' | 'step' | 'progress' | 'startedAt'> | null;
}

/** Only a reinstallation updates it. */
export const eggSnapshotFields = {
  name: text,
  features: listOf(text),
  dockerImages: listOf(part(dockerImageFields)),
  startup: text,
  startupCommands: listOf(part(startupCommandFields)),
  config: part(eggConfigFields),
  script: part(installScriptFields),
  fileDenylist: listOf(text),
  forceOutgoingIp: flag,
  variables: listOf(part(eggVariableFields)),
};
export type EggSnapshot = RecordOf<typeof eggSnapshotFields>;

const limitsFields = {
  memoryMb: count,
  /** -1: unlimited, 0: none. */
  swapMb: count,
  /** 0: unlimited. */
  diskMb: count,
  /** 10 to 1000. */
  ioWeight: count,
  /** 100 is one core; 0: unlimited. */
  cpuPercent: count,
};
export type ServerLimits = RecordOf<typeof limitsFields>;

const featureLimitsFields = {
  databases: count,
  backups: count,
  allocations: count,
};
export type FeatureLimits = RecordOf<typeof featureLimitsFields>;

const installFields = {
  state: oneOf(['pending', 'installed', 'failed']),
  /** Null: no failure. */
  error: orNull(text),
  /** Of the script; null: none. */
  exitCode: orNull(number),
  at: orNull(date),
  /** Failed because a dependency was unavailable, on a server that was never installed: another one loses nothing. */
  isRepeatable: optional(flag),
};
export type InstallState = RecordOf<typeof installFields>;

export const powerStates = ['offline', 'starting', 'running', 'stopping'] as const;
export type PowerState = (typeof powerStates)[number];
export const powerActions = ['start', 'stop', 'restart', 'kill'] as const;
export type PowerAction = (typeof powerActions)[number];

const powerLeaseFields = {
  /** Also the id of the action. */
  id,
  action: oneOf(powerActions),
  owner: id,
  expiresAt: date,
  /** Absent: not requested by a user. */
  operationId: optional(text),
  /** A start that waits for an unavailable dependency; a stop may end it. */
  isWaiting: optional(flag),
};

const powerFields = {
  state: oneOf(powerStates),
  /** The owner's wish, restored when a node returns. */
  desired: oneOf(['running', 'offline']),
  /** Grows with every start; instance label. */
  generation: count,
  changedAt: date,
  lease: orNull(part(powerLeaseFields)),
  /** Features that a user accepted in this run. */
  resolvedFeatures: optional({ ...listOf(text), default: undefined }),
};
export type Power = RecordOf<typeof powerFields>;

const powerOperationStates = ['in_progress', 'completed', 'failed', 'superseded'] as const;
export type PowerOperationState = (typeof powerOperationStates)[number];

const powerOperationFields = {
  id,
  action: oneOf(powerActions),
  state: oneOf(powerOperationStates),
  /** Null: no failure. */
  error: orNull(text),
  startedAt: date,
  endedAt: orNull(date),
};
export type PowerOperation = RecordOf<typeof powerOperationFields>;

const crashFields = {
  /** Oldest first. */
  times: listOf(date),
  /** Next automatic start; null: none. */
  restartAt: orNull(date),
};
export type CrashState = RecordOf<typeof crashFields>;

export const operationKinds = ['installing', 'reinstalling', 'transferring', 'restoring', 'deleting'] as const;
export type OperationKind = (typeof operationKinds)[number];

export const endedOperationStates = ['completed', 'failed', 'cancelled'] as const;
export type EndedOperationState = (typeof endedOperationStates)[number];

const endedOperationFields = {
  id,
  kind: oneOf(operationKinds),
  state: oneOf(endedOperationStates),
  /** Null: no failure. */
  error: orNull(text),
  startedAt: date,
  endedAt: date,
};
export type EndedOperation = RecordOf<typeof endedOperationFields>;

/** The files service has the backup's record and bytes. */
const backupRunFields = {
  id,
  step: text,
  /** 0 to 100. */
  progress: count,
  startedAt: date,
  leaseOwner: orNull(text),
  leaseExpiresAt: orNull(date),
  /** Grows with every claim. */
  fence: count,
};
type BackupRun = RecordOf<typeof backupRunFields>;

/** Watchers see a backup only without an operation. */
export type VisibleOperation = Pick<Operation, 'id' | 'step' | 'progress' | 'startedAt'> & {
  readonly kind: OperationKind | 'backing_up';
  readonly problem?: string | null | undefined;
};

export function visibleOperation<T extends VisibleOperation>(
  operation: T | null,
  backup: Pick<BackupRun, 'id' | 'step' | 'progress' | 'startedAt'> | null | undefined,
): T | VisibleOperation | null {
  return operation ?? (backup ? { ...backup, kind: 'backing_up' } : null);
}

const restoreFields = {
  backupId: id,
  /** Removes files that are not in the backup. */
  isTruncating: flag,
  /** Empty: all. */
  paths: listOf(text),
  databases: listOf(text),
  hasDumps: flag,
  /** Another node with the backup on its disk, copied first; null: none. */
  sourceNodeId: optional(orNull(text)),
};
export type Restore = RecordOf<typeof restoreFields>;

const transferFields = {
  targetNodeId: id,
  /** Primary first; empty until all are reserved. */
  allocationIds: listOf(text),
  /** At the files services; new for each restart of the copy. */
  copyId: id,
  copies: count,
  /** Highest copied and compared number. */
  doneBytes: count,
  /** Last progress. */
  movedAt: date,
  /** Its files replace those of a node that is gone; null: they are copied. */
  backupId: optional(orNull(text)),
  /** The target has its files already. */
  hasFiles: optional(flag),
};
export type Transfer = RecordOf<typeof transferFields>;

/**
 * Remains on another node: `source` after a move, `target` after a failed transfer, `restored` after a failed recovery.
 * `lost`: after a recovery, or a move to files that were there, the instance; the files of the old node stay.
 */
const pendingCleanupFields = {
  kind: oneOf(['source', 'target', 'restored', 'lost']),
  nodeId: id,
  /** Of the transfer; names the copy on the target. */
  copyId: id,
  operationId: id,
  /** Instances up to this generation may be removed. */
  generation: count,
  /** Or end of the current attempt. */
  retryAt: date,
};
export type PendingCleanup = RecordOf<typeof pendingCleanupFields>;

const transferResultFields = {
  outcome: oneOf(['completed', 'cancelled', 'failed']),
  sourceNodeId: id,
  targetNodeId: id,
  /** Null: no failure. */
  error: orNull(text),
  at: date,
};
export type TransferResult = RecordOf<typeof transferResultFields>;

const operationOptionsFields = {
  skipScripts: withDefault(flag, false),
  startOnCompletion: withDefault(flag, false),
  /** Delete even if the node is unreachable. */
  force: withDefault(flag, false),
  /** Keep completed backups; absent: false. */
  keepBackups: optional(withDefault(flag, false)),
};
export type OperationOptions = RecordOf<typeof operationOptionsFields>;

/** After a worker's death another continues or fails it with a reason. */
const operationFields = {
  id,
  kind: oneOf(operationKinds),
  /** Machine-readable, e.g. "pull_image". */
  step: text,
  /** 0 to 100. */
  progress: count,
  startedAt: date,
  leaseOwner: orNull(text),
  leaseExpiresAt: orNull(date),
  /** Grows with every claim: rejects writes of earlier workers. */
  fence: count,
  /** Claims that only waited for an unavailable dependency. */
  waits: count,
  /** What it waits for, for people; absent: nothing. */
  problem: optional(orNull(text)),
  options: part(operationOptionsFields),
  transfer: optional(orNull(part(transferFields))),
  restore: optional(orNull(part(restoreFields))),
};
export type Operation = RecordOf<typeof operationFields>;

export function hasAllocation({ allocations }: Pick<GameServer, 'allocations'>, allocationId: string): boolean {
  return allocations.some(({ id }) => id === allocationId);
}

/** Other operations ignore the installation's result. */
export function isInstalling({ operation }: Pick<GameServer, 'operation'>): boolean {
  return operation?.kind === 'installing' || operation?.kind === 'reinstalling';
}

export const serverStatuses = [
  ...powerStates,
  'installing',
  'install_failed',
  'reinstalling',
  'suspended',
  'transferring',
  'restoring',
  'deleting',
] as const;
export type ServerStatus = (typeof serverStatuses)[number];

export const serverFields = {
  id,
  /** First 8 characters of the id; unique. */
  uuidShort: id,
  name: id,
  description: text,
  userId: id,
  /** Unique or null. */
  externalId: orNull(text),
  nodeId: id,
  /** A copy: see copy-node-name.ts. */
  nodeName: text,
  nodeNameRevision: count,
  allocationId: id,
  /** Includes the primary one; updates of this list enforce the limit. */
  allocations: listOf(part(serverAllocationFields)),
  eggId: id,
  egg: part(eggSnapshotFields),
  dockerImage: id,
  startup: id,
  /** By variable; absent: the default. */
  environment: textMap,
  limits: part(limitsFields),
  featureLimits: part(featureLimitsFields),
  /** See `runSettingsOf`. */
  runSettings: optional(part(runSettingsFields)),
  suspended: flag,
  install: part(installFields),
  power: part(powerFields),
  /** Usage is recorded hourly; absent: false. */
  isMetered: optional(flag),
  /** Of users, newest first. Absent: none. */
  powerOperations: optional({ ...listOf(part(powerOperationFields)), default: undefined }),
  crash: part(crashFields),
  operation: orNull(part(operationFields)),
  /** The last ones, newest first. Absent: none. */
  endedOperations: optional({ ...listOf(part(endedOperationFields)), default: undefined }),
  /** Updates of this list enforce the limit. */
  databaseIds: listOf(text),
  /** Locks nothing; null or absent: none. */
  backup: optional(orNull(part(backupRunFields))),
  /** Waiting backups. Absent: none. */
  backupQueue: optional(listOf(text)),
  /** Recent starts. Absent: none. */
  backupStarts: optional(listOf(date)),
  /** Remains on nodes of past or failed transfers. Absent: none. */
  pendingCleanups: optional(listOf(part(pendingCleanupFields))),
  /** Lease during a change of limits and reservation; null or absent: free. */
  limitsChange: optional(orNull(part({ id, expiresAt: date }))),
  subusers: listOf(part(subuserFields)),
  subuserRoles: listOf(part(subuserRoleFields)),
  /** Null or absent: no transfer yet. */
  lastTransfer: optional(orNull(part(transferResultFields))),
  /** `statusOf`, stored for filters and sorting. */
  status: oneOf(serverStatuses),
  createdAt: date,
  updatedAt: date,
};
export type GameServer = RecordOf<typeof serverFields>;

/** Shown as `unknown` while the node's engine is unreachable. */
export const engineReportedStatuses = ['starting', 'running', 'stopping'] as const satisfies readonly ServerStatus[];

export function isEngineReported(status: ServerStatus): boolean {
  return (engineReportedStatuses as readonly ServerStatus[]).includes(status);
}

type StatusFields = Pick<GameServer, 'operation' | 'suspended' | 'install' | 'power'>;

/** Maps a field value (null: any) to `status` (null: that value). */
interface StatusRule {
  readonly path: string;
  readonly read: (server: StatusFields) => string | boolean | null;
  readonly equals: string | boolean | null;
  readonly status: ServerStatus | null;
}

/** The first match counts. Source of `statusOf` and of the expression in models/servers/conditional-update.ts. */
export const statusRules: readonly StatusRule[] = [
  { path: 'operation.kind', read: ({ operation }) => operation?.kind ?? null, equals: null, status: null },
  { path: 'suspended', read: ({ suspended }) => suspended, equals: true, status: 'suspended' },
  { path: 'install.state', read: ({ install }) => install.state, equals: 'failed', status: 'install_failed' },
  { path: 'power.state', read: ({ power }) => power.state, equals: null, status: null },
];

export function statusOf(server: StatusFields): ServerStatus {
  for (const { read, equals, status } of statusRules) {
    const value = read(server);
    const isMatch = equals === null ? value !== null : value === equals;
    if (isMatch) return status ?? (value as ServerStatus);
  }
  return server.power.state;
}

/** Absent: any. */
export interface OnlyServers {
  readonly ownerId?: string;
  readonly nodeId?: string;
  readonly eggId?: string;
  readonly externalId?: string;
}
