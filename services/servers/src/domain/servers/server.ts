import type { ServerAllocation } from '../allocations/allocation.js';
import type { SubuserRole } from '../subusers/roles.js';
import type { Subuser } from '../subusers/subuser.js';
import type { RunSettings } from './run-settings.js';
import type { DockerImage, EggConfig, EggVariable, InstallScript, StartupCommand } from '../eggs/egg.js';

/** A game server. Power, operation and suspension are separate: each changes by its own rules. */
export interface GameServer {
  readonly id: string;
  /** First 8 characters of the id; unique. */
  readonly uuidShort: string;
  readonly name: string;
  readonly description: string;
  /** The owner. */
  readonly userId: string;
  /** Null when not given; else unique. */
  readonly externalId: string | null;
  readonly nodeId: string;
  /** A copy of the node's name, and the revision of the name that it is a copy of: see copy-node-name.ts. */
  readonly nodeName: string;
  readonly nodeNameRevision: number;
  /** The primary one. */
  readonly allocationId: string;
  /** All of them, the primary one too; the limit is held by conditional updates of this list. */
  readonly allocations: readonly ServerAllocation[];
  readonly eggId: string;
  readonly egg: EggSnapshot;
  readonly dockerImage: string;
  readonly startup: string;
  /** Values by variable; variables that are not named have their default. */
  readonly environment: Readonly<Record<string, string>>;
  readonly limits: ServerLimits;
  readonly featureLimits: FeatureLimits;
  /** What staff have chosen of them: see `runSettingsOf`. Absent: nothing. */
  readonly runSettings?: Partial<RunSettings>;
  readonly suspended: boolean;
  readonly install: InstallState;
  readonly power: Power;
  /** Whether what it uses is measured hour by hour; absent: it is not. */
  readonly isMetered?: boolean;
  /** The last power actions that people asked for, newest first. Absent: none. */
  readonly powerOperations?: readonly PowerOperation[];
  readonly crash: CrashState;
  readonly operation: Operation | null;
  /** Its databases; the limit is held by conditional updates of this list. */
  readonly databaseIds: readonly string[];
  /** The backup in progress, which locks nothing; null or absent: none. */
  readonly backup?: BackupRun | null;
  /** Backups that wait for it to end. Absent: none. */
  readonly backupQueue?: readonly string[];
  /** When backups were begun lately. Absent: never. */
  readonly backupStarts?: readonly Date[];
  /** What is still to be removed on nodes the server has left, or never got to. Absent: nothing. */
  readonly pendingCleanups?: readonly PendingCleanup[];
  /** Held during a change of the limits, because its node has to reserve as much; null or absent: not held. */
  readonly limitsChange?: { readonly id: string; readonly expiresAt: Date } | null;
  readonly subusers: readonly Subuser[];
  /** The server's own. */
  readonly subuserRoles: readonly SubuserRole[];
  /** How the last transfer ended; null or absent before the first one. */
  readonly lastTransfer?: TransferResult | null;
  /** Derived from the fields above by `statusOf`; kept for filters and sorting. */
  readonly status: ServerStatus;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** What a server is shown from: one document, without what is never shown. */
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

/** What a server needs of its egg. A change of the egg reaches a server only when it is reinstalled. */
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
  /** -1 unlimited, 0 none. */
  readonly swapMb: number;
  /** 0 unlimited. */
  readonly diskMb: number;
  /** 10 to 1000. */
  readonly ioWeight: number;
  /** Percent of one core; 0 unlimited. */
  readonly cpuPercent: number;
}

export interface FeatureLimits {
  readonly databases: number;
  readonly backups: number;
  readonly allocations: number;
}

export interface InstallState {
  readonly state: 'pending' | 'installed' | 'failed';
  /** Why it failed; null when it did not. */
  readonly error: string | null;
  /** Of the install script; null when it did not end by itself. */
  readonly exitCode: number | null;
  readonly at: Date | null;
}

export const powerStates = ['offline', 'starting', 'running', 'stopping'] as const;
export type PowerState = (typeof powerStates)[number];
export const powerActions = ['start', 'stop', 'restart', 'kill'] as const;
export type PowerAction = (typeof powerActions)[number];

export interface Power {
  readonly state: PowerState;
  /** What the owner wants; a node that comes back brings its servers to it. */
  readonly desired: 'running' | 'offline';
  /** Grows with every start; the label of the instance. */
  readonly generation: number;
  readonly changedAt: Date;
  readonly lease: HeldPowerLease | null;
  /** What the game of this run asked for and a user has agreed to. */
  readonly resolvedFeatures?: readonly string[];
}

/** Held by the worker of a power action. */
interface HeldPowerLease {
  /** Also the id of the accepted action. */
  readonly id: string;
  readonly action: PowerAction;
  readonly owner: string;
  /** Renewed by its holder; past it, the action has lost its worker. */
  readonly expiresAt: Date;
  /** The accepted action that is being carried out, by any worker. Absent: it was not requested. */
  readonly operationId?: string;
}

/** What became of an accepted power action. */
export interface PowerOperation {
  readonly id: string;
  readonly action: PowerAction;
  readonly state: PowerOperationState;
  /** Why it failed; null unless it did. */
  readonly error: string | null;
  readonly startedAt: Date;
  readonly endedAt: Date | null;
}

export const powerOperationStates = ['in_progress', 'completed', 'failed', 'superseded'] as const;
export type PowerOperationState = (typeof powerOperationStates)[number];

export interface CrashState {
  /** The latest crashes, oldest first. */
  readonly times: readonly Date[];
  /** When the next automatic start is due; null when none is. */
  readonly restartAt: Date | null;
}

export const operationKinds = ['installing', 'reinstalling', 'transferring', 'restoring', 'deleting'] as const;
export type OperationKind = (typeof operationKinds)[number];

/** A backup that is being made. Its record and its bytes are with the files service. */
interface BackupRun {
  /** Of the backup. */
  readonly id: string;
  readonly step: string;
  /** 0 to 100. */
  readonly progress: number;
  readonly startedAt: Date;
  readonly leaseOwner: string | null;
  readonly leaseExpiresAt: Date | null;
  /** Grows with every claim, as that of an operation. */
  readonly fence: number;
}

/** What watchers see as the operation of a server: a backup only while there is nothing else. */
export type VisibleOperation = Pick<Operation, 'id' | 'step' | 'progress' | 'startedAt'> & {
  readonly kind: OperationKind | 'backing_up';
};

export function visibleOperation<T extends VisibleOperation>(
  operation: T | null,
  backup: Pick<BackupRun, 'id' | 'step' | 'progress' | 'startedAt'> | null | undefined,
): T | VisibleOperation | null {
  return operation ?? (backup ? { ...backup, kind: 'backing_up' } : null);
}

/** Durable work on a server. A worker that dies loses its lease, and another one continues or gives up with a reason. */
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
  /** Grows with every claim: a worker that lost its lease cannot write any more. */
  readonly fence: number;
  readonly options: OperationOptions;
  /** Transferring: where to. */
  readonly transfer?: Transfer | null;
  /** Restoring: what. */
  readonly restore?: Restore | null;
}

/** A backup that is being put back. */
export interface Restore {
  readonly backupId: string;
  /** Remove everything that is not in the backup. */
  readonly isTruncating: boolean;
  /** Empty: everything. */
  readonly paths: readonly string[];
  /** Databases to import the dumps of. */
  readonly databases: readonly string[];
  /** The backup carries dumps of databases. */
  readonly hasDumps: boolean;
}

/** Where a server is being moved to, and how far that has got. */
export interface Transfer {
  readonly targetNodeId: string;
  /** Reserved on the target, the primary one first; empty until all of it is reserved. */
  readonly allocationIds: readonly string[];
  /** Names this copy of the files to the files services; another one when it has to start again. */
  readonly copyId: string;
  /** How many copies were started. */
  readonly copies: number;
  /** The most that was ever copied and compared, in bytes. */
  readonly doneBytes: number;
  /** When it last got any further. */
  readonly movedAt: Date;
}

/**
 * What a server has on a node that is not its own: `source` after it has moved away, `target` after a transfer to there
 * came to nothing. It stays written down until it is gone.
 */
export interface PendingCleanup {
  readonly kind: 'source' | 'target';
  readonly nodeId: string;
  /** Of the transfer; its copyId on the target. */
  readonly copyId: string;
  /** The transfer itself. */
  readonly operationId: string;
  /** Instances of the server up to this generation may be removed there. */
  readonly generation: number;
  /** The next try, or the end of the one in progress. */
  readonly retryAt: Date;
}

export interface TransferResult {
  readonly outcome: 'completed' | 'cancelled' | 'failed';
  readonly sourceNodeId: string;
  readonly targetNodeId: string;
  /** Why it failed; null otherwise. */
  readonly error: string | null;
  readonly at: Date;
}

export interface OperationOptions {
  readonly skipScripts: boolean;
  readonly startOnCompletion: boolean;
  /** Deleting: continue although the node does not answer. */
  readonly force: boolean;
  /** Deleting: leave the completed backups; absent: remove them. */
  readonly keepBackups?: boolean;
}

export function hasAllocation({ allocations }: Pick<GameServer, 'allocations'>, allocationId: string): boolean {
  return allocations.some(({ id }) => id === allocationId);
}

/** During other operations the result of an installation is not repeated. */
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

/** Statuses that are unconfirmed, shown as `unknown`, while the engine of the server's node is unreachable. */
export const engineReportedStatuses = ['starting', 'running', 'stopping'] as const satisfies readonly ServerStatus[];

export function isEngineReported(status: ServerStatus): boolean {
  return (engineReportedStatuses as readonly ServerStatus[]).includes(status);
}

type StatusFields = Pick<GameServer, 'operation' | 'suspended' | 'install' | 'power'>;

/** One rule of the status: when the field has the value (null: any value), the status is `status` (null: that value). */
interface StatusRule {
  readonly path: string;
  readonly read: (server: StatusFields) => string | boolean | null;
  readonly equals: string | boolean | null;
  readonly status: ServerStatus | null;
}

/**
 * What the panel shows, first match: the operation, suspension, a failed installation, the power state. `statusOf` here and
 * the expression in models/servers/conditional-update.ts are both made of it.
 */
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

/** What servers can be filtered by beside their status. Absent: any. */
export interface OnlyServers {
  readonly ownerId?: string;
  readonly nodeId?: string;
  readonly eggId?: string;
  readonly externalId?: string;
}
