import type { ServerAllocation } from '../allocations/allocation.js';
import type { SubuserRole } from '../subusers/roles.js';
import type { Subuser } from '../subusers/subuser.js';
import type { RunSettings } from './run-settings.js';
import type { DockerImage, EggConfig, EggVariable, InstallScript, StartupCommand } from '../eggs/egg.js';

export interface GameServer {
  readonly id: string;
  /** First 8 characters of the id; unique. */
  readonly uuidShort: string;
  readonly name: string;
  readonly description: string;
  readonly userId: string;
  /** Unique or null. */
  readonly externalId: string | null;
  readonly nodeId: string;
  /** A copy: see copy-node-name.ts. */
  readonly nodeName: string;
  readonly nodeNameRevision: number;
  readonly allocationId: string;
  /** Includes the primary one; updates of this list enforce the limit. */
  readonly allocations: readonly ServerAllocation[];
  readonly eggId: string;
  readonly egg: EggSnapshot;
  readonly dockerImage: string;
  readonly startup: string;
  /** By variable; absent: the default. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: ServerLimits;
  readonly featureLimits: FeatureLimits;
  /** See `runSettingsOf`. */
  readonly runSettings?: Partial<RunSettings>;
  readonly suspended: boolean;
  readonly install: InstallState;
  readonly power: Power;
  /** Usage is recorded hourly; absent: false. */
  readonly isMetered?: boolean;
  /** Of users, newest first. Absent: none. */
  readonly powerOperations?: readonly PowerOperation[];
  readonly crash: CrashState;
  readonly operation: Operation | null;
  /** Updates of this list enforce the limit. */
  readonly databaseIds: readonly string[];
  /** Locks nothing; null or absent: none. */
  readonly backup?: BackupRun | null;
  /** Waiting backups. Absent: none. */
  readonly backupQueue?: readonly string[];
  /** Recent starts. Absent: none. */
  readonly backupStarts?: readonly Date[];
  /** Remains on nodes of past or failed transfers. Absent: none. */
  readonly pendingCleanups?: readonly PendingCleanup[];
  /** Lease during a change of limits and reservation; null or absent: free. */
  readonly limitsChange?: { readonly id: string; readonly expiresAt: Date } | null;
  readonly subusers: readonly Subuser[];
  readonly subuserRoles: readonly SubuserRole[];
  /** Null or absent: no transfer yet. */
  readonly lastTransfer?: TransferResult | null;
  /** `statusOf`, stored for filters and sorting. */
  readonly status: ServerStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

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
  readonly install: Pick<InstallState, 'error' | 'exitCode'>;
  readonly operation: Pick<Operation, 'id' | 'kind' | 'step' | 'progress' | 'startedAt'> | null;
  readonly backup?: Pick<BackupRun, 'id' | 'step' | 'progress' | 'startedAt'> | null;
}

/** Only a reinstallation updates it. */
export interface EggSnapshot {
  readonly name: string;
  readonly features: readonly string[];
  readonly dockerImages: readonly DockerImage[];
  readonly startup: string;
  readonly startupCommands: readonly StartupCommand[];
  readonly config: EggConfig;
  readonly script: InstallScript;
  readonly fileDenylist: readonly string[];
  readonly forceOutgoingIp: boolean;
  readonly variables: readonly EggVariable[];
}

export interface ServerLimits {
  readonly memoryMb: number;
  /** -1: unlimited, 0: none. */
  readonly swapMb: number;
  /** 0: unlimited. */
  readonly diskMb: number;
  /** 10 to 1000. */
  readonly ioWeight: number;
  /** 100 is one core; 0: unlimited. */
  readonly cpuPercent: number;
}

export interface FeatureLimits {
  readonly databases: number;
  readonly backups: number;
  readonly allocations: number;
}

export interface InstallState {
  readonly state: 'pending' | 'installed' | 'failed';
  /** Null: no failure. */
  readonly error: string | null;
  /** Of the script; null: none. */
  readonly exitCode: number | null;
  readonly at: Date | null;
}

export const powerStates = ['offline', 'starting', 'running', 'stopping'] as const;
export type PowerState = (typeof powerStates)[number];
export const powerActions = ['start', 'stop', 'restart', 'kill'] as const;
export type PowerAction = (typeof powerActions)[number];

export interface Power {
  readonly state: PowerState;
  /** The owner's wish, restored when a node returns. */
  readonly desired: 'running' | 'offline';
  /** Grows with every start; instance label. */
  readonly generation: number;
  readonly changedAt: Date;
  readonly lease: HeldPowerLease | null;
  /** Features that a user accepted in this run. */
  readonly resolvedFeatures?: readonly string[];
}

interface HeldPowerLease {
  /** Also the id of the action. */
  readonly id: string;
  readonly action: PowerAction;
  readonly owner: string;
  readonly expiresAt: Date;
  /** Absent: not requested by a user. */
  readonly operationId?: string;
}

export interface PowerOperation {
  readonly id: string;
  readonly action: PowerAction;
  readonly state: PowerOperationState;
  /** Null: no failure. */
  readonly error: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export const powerOperationStates = ['in_progress', 'completed', 'failed', 'superseded'] as const;
export type PowerOperationState = (typeof powerOperationStates)[number];

export interface CrashState {
  /** Oldest first. */
  readonly times: readonly Date[];
  /** Next automatic start; null: none. */
  readonly restartAt: Date | null;
}

export const operationKinds = ['installing', 'reinstalling', 'transferring', 'restoring', 'deleting'] as const;
export type OperationKind = (typeof operationKinds)[number];

/** The files service has the backup's record and bytes. */
interface BackupRun {
  readonly id: string;
  readonly step: string;
  /** 0 to 100. */
  readonly progress: number;
  readonly startedAt: Date;
  readonly leaseOwner: string | null;
  readonly leaseExpiresAt: Date | null;
  /** Grows with every claim. */
  readonly fence: number;
}

/** Watchers see a backup only without an operation. */
export type VisibleOperation = Pick<Operation, 'id' | 'step' | 'progress' | 'startedAt'> & {
  readonly kind: OperationKind | 'backing_up';
};

export function visibleOperation<T extends VisibleOperation>(
  operation: T | null,
  backup: Pick<BackupRun, 'id' | 'step' | 'progress' | 'startedAt'> | null | undefined,
): T | VisibleOperation | null {
  return operation ?? (backup ? { ...backup, kind: 'backing_up' } : null);
}

/** After a worker's death another continues or fails it with a reason. */
export interface Operation {
  readonly id: string;
  readonly kind: OperationKind;
  /** Machine-readable, e.g. "pull_image". */
  readonly step: string;
  /** 0 to 100. */
  readonly progress: number;
  readonly startedAt: Date;
  readonly leaseOwner: string | null;
  readonly leaseExpiresAt: Date | null;
  /** Grows with every claim: rejects writes of earlier workers. */
  readonly fence: number;
  /** Claims that only waited for something that was away. */
  readonly waits: number;
  readonly options: OperationOptions;
  readonly transfer?: Transfer | null;
  readonly restore?: Restore | null;
}

export interface Restore {
  readonly backupId: string;
  /** Removes files that are not in the backup. */
  readonly isTruncating: boolean;
  /** Empty: all. */
  readonly paths: readonly string[];
  readonly databases: readonly string[];
  readonly hasDumps: boolean;
}

export interface Transfer {
  readonly targetNodeId: string;
  /** Primary first; empty until all are reserved. */
  readonly allocationIds: readonly string[];
  /** At the files services; new for each restart of the copy. */
  readonly copyId: string;
  readonly copies: number;
  /** Highest copied and compared number. */
  readonly doneBytes: number;
  /** Last progress. */
  readonly movedAt: Date;
}

/** Remains on another node, `source` after a move, `target` after a failed transfer. */
export interface PendingCleanup {
  readonly kind: 'source' | 'target';
  readonly nodeId: string;
  /** Of the transfer; names the copy on the target. */
  readonly copyId: string;
  readonly operationId: string;
  /** Instances up to this generation may be removed. */
  readonly generation: number;
  /** Or end of the current attempt. */
  readonly retryAt: Date;
}

export interface TransferResult {
  readonly outcome: 'completed' | 'cancelled' | 'failed';
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
  /** Null: no failure. */
  readonly error: string | null;
  readonly at: Date;
}

export interface OperationOptions {
  readonly skipScripts: boolean;
  readonly startOnCompletion: boolean;
  /** Delete even if the node is unreachable. */
  readonly force: boolean;
  /** Keep completed backups; absent: false. */
  readonly keepBackups?: boolean;
}

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
