import type { GameServer, OperationKind } from '../domain/servers/server.js';
import type { AllocationStore } from '../models/allocations/allocation.js';
import type { OperationLease } from '../models/servers/server-operations.js';
import type { ConsoleStore } from '../models/console/console.js';
import type { ScheduleStore } from '../models/schedules/schedule.js';
import type { MetricsStore } from '../models/metrics/metrics.js';
import type { DatabaseStore } from '../models/databases/database.js';
import { fail } from '../reasons.js';
import type { BackupDumps } from '../database-engines/dumps/backup-dumps.js';
import type { GameDeps, GameSettings } from '../games/deps.js';
import type { PowerService } from '../games/power-service.js';

/** What the work of an operation needs. */
export interface OperationDeps extends Pick<
  GameDeps,
  | 'owner'
  | 'clock'
  | 'log'
  | 'attempt'
  | 'servers'
  | 'nodes'
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
  readonly databases: Pick<DatabaseStore, 'markServerDeleting'>;
  readonly backupDumps: BackupDumps;
  readonly power: PowerService;
  /** Whether this replica watches a node. */
  readonly isOwned: (nodeId: string) => boolean;
  readonly settings: OperationSettings;
}

export interface OperationSettings extends Pick<GameSettings, 'timezone' | 'workTtlMs'> {
  /** How often the files of a server that installs are measured. */
  readonly diskWatchMs: number;
  /** Free space in MB that an installation leaves on the disk of a node. */
  readonly minFreeDiskMb: number;
  readonly installTimeoutMs: number;
  /** A transfer that gets no further for this long is given up. */
  readonly transferTimeoutMs: number;
  /** Servers that are moved from or to one node at a time; the others wait before they are stopped. */
  readonly transfersPerNode: number;
}

/** One claim of an operation. */
export interface OperationRun {
  readonly server: GameServer;
  readonly lease: OperationLease;
  /** Aborted when the lease is lost, or this process ends. */
  readonly signal: AbortSignal;
}

/** How operations of one kind are carried out. Each step can be repeated, because a worker can die in any of them. */
export interface OperationDefinition {
  readonly kind: OperationKind;
  /** Steps with the progress in percent at which each begins, as watchers see them. */
  readonly steps: Readonly<Record<string, number>>;
  /** RPCs that start it; their permissions are in the table of rights. */
  readonly startedBy: readonly string[];
  /** Lanes have workers of their own: transfers take hours, and must not keep installations waiting. */
  readonly lane: 'short' | 'long';
  /**
   * After a crash the operation is claimed again and runs from its first step. Past this many claims something about it
   * ends its workers, and `giveUp` runs instead. Infinity: only an operator ends it.
   */
  readonly maxClaims: number;
  run(deps: OperationDeps, run: OperationRun): Promise<void>;
  /** End the operation with a reason that its server shows. */
  giveUp(deps: OperationDeps, run: OperationRun): Promise<void>;
}

/** Record that a step begins. Throws LEASE_LOST, and TypeError for a step that its definition does not name. */
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

export function leaseLost() {
  return fail('LEASE_LOST', 'the operation was cancelled, or another worker has taken over');
}

/** Operations that use cases start and end. */
export interface OperationControl {
  /** Look for work at once instead of at the next tick. */
  runNow(): void;
  /** Another operation has begun with the server: what this process does with it ends now. */
  cancel(serverId: string): void;
}
