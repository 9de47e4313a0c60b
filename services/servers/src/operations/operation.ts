import type { GameServer, OperationKind } from '../domain/servers/server.js';
import type { AllocationStore } from '../models/allocations/allocation.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { ConsoleStore } from '../models/console/console.js';
import type { ScheduleStore } from '../models/schedules/schedule.js';
import type { LeftInstanceStore } from '../models/nodes/left-instance.js';
import type { MetricsStore } from '../models/metrics/metrics.js';
import type { DatabaseStore } from '../models/databases/database.js';
import { runtimeError } from '@panel/runtime';
import { fail } from '../reasons.js';
import type { BackupDumps } from '../database-engines/dumps/backup-dumps.js';
import type { GameDeps, GameSettings } from '../games/dependencies.js';
import type { PowerService } from '../games/power-service.js';

export interface OperationDeps extends Pick<
  GameDeps,
  | 'owner'
  | 'clock'
  | 'log'
  | 'attempt'
  | 'servers'
  | 'nodes'
  | 'registries'
  | 'runtimes'
  | 'files'
  | 'hub'
  | 'activity'
  | 'triggers'
  | 'failpoint'
> {
  readonly allocations: AllocationStore;
  readonly consoles: ConsoleStore;
  readonly schedules: Pick<ScheduleStore, 'deleteOfServer'>;
  readonly metrics: Pick<MetricsStore, 'delete'>;
  readonly leftInstances: Pick<LeftInstanceStore, 'add'>;
  readonly databases: Pick<DatabaseStore, 'markServerDeleting'>;
  readonly backupDumps: BackupDumps;
  readonly power: PowerService;
  /** This replica watches the node. */
  readonly isOwned: (nodeId: string) => boolean;
  /** It does, and the database knows all changes to the files there. */
  readonly isCurrent: (nodeId: string) => boolean;
  readonly settings: OperationSettings;
}

export interface OperationSettings extends Pick<GameSettings, 'timezone' | 'workTtlMs'> {
  /** Interval of measurements during installations. */
  readonly diskWatchMs: number;
  /** Free space in MB that an installation leaves. */
  readonly minFreeDiskMb: number;
  readonly installTimeoutMs: number;
  /** A transfer without progress for this time fails. */
  readonly transferTimeoutMs: number;
  /** Concurrent transfers per node; others wait before their stop. */
  readonly transfersPerNode: number;
}

/** One claim. */
export interface OperationRun {
  readonly server: GameServer;
  readonly lease: OperationLease;
  /** Aborted at the lease's loss or the process's end. */
  readonly signal: AbortSignal;
}

/** Each step is repeatable: a worker can die in any. */
export interface OperationDefinition {
  readonly kind: OperationKind;
  /** Start progress of each step in percent, for watchers. */
  readonly steps: Readonly<Record<string, number>>;
  /** RPCs that start it; their permissions are in the access table. */
  readonly startedBy: readonly string[];
  /** Separate workers: hours of transfer must not delay installations. */
  readonly lane: 'short' | 'long';
  /**
   * A crash restarts the operation at its first step. Above this many claims it kills its workers, and `giveUp` runs.
   * Infinity: only an operator ends it.
   */
  readonly maxClaims: number;
  /**
   * Pause after a run that ended because a dependency was unavailable, which then counts as no claim. Default: the lease expires.
   */
  readonly waitMs?: number;
  /** What people can do while it waits. */
  readonly waitHint?: string;
  run(deps: OperationDeps, run: OperationRun): Promise<void>;
  /** Ends it with a reason for the server. */
  giveUp(deps: OperationDeps, run: OperationRun): Promise<void>;
}

/** Throws LEASE_LOST, and TypeError for an unknown step. */
export async function enterStep(
  { servers }: Pick<GameDeps, 'servers'>,
  { kind, steps }: Pick<OperationDefinition, 'kind' | 'steps'>,
  lease: OperationLease,
  step: string,
): Promise<void> {
  const percent = Object.hasOwn(steps, step) ? steps[step] : undefined;
  if (percent === undefined) throw new TypeError(`${kind} has no step ${step}`);
  if (!(await servers.operations.progress(lease, step, percent))) throw leaseLost();
}

/** Before a stop by a record that may be older than the files. Throws NODE_UNREACHABLE. */
export function requireCurrent({ isCurrent }: Pick<OperationDeps, 'isCurrent'>, nodeId: string): void {
  if (isCurrent(nodeId)) return;
  const message = 'nothing is stopped or deleted on this node before its files are compared with the database';
  throw runtimeError('NODE_UNREACHABLE', message, { problem: 'data_root_newer' });
}

export function leaseLost() {
  return fail('LEASE_LOST', 'the operation was cancelled, or another worker has taken over');
}

/** For use cases. */
export interface OperationControl {
  /** Without the next tick. */
  runNow(): void;
  /** Another operation has begun: ends local work on the server. */
  cancel(serverId: string): void;
}
