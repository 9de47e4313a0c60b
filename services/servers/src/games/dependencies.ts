import type { ActivityLog } from '@panel/activity';
import type { KeyedMutex } from '@panel/kit/async';
import type { Failpoint, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import type { ConsoleHub } from '../console/console-hub.js';
import type { CrashPolicy } from '../domain/power/crash-policy.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { RegistryStore } from '../models/registries/registry.js';
import type { ServerStore } from '../models/servers/server.js';
import type { NodeFiles } from '../node-clients/files.js';
import type { Runtimes } from '../node-clients/runtimes.js';
import type { EventTriggerKind } from '../domain/schedules/schedule.js';
import type { ExitEvents } from './exit-events.js';

export interface GameDeps {
  /** Lease owner. */
  readonly owner: string;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly tasks: TaskGroup;
  readonly attempt: Jobs['attempt'];
  readonly servers: ServerStore;
  readonly nodes: NodeStore;
  readonly registries: Pick<RegistryStore, 'openFor'>;
  readonly runtimes: Runtimes;
  readonly files: NodeFiles;
  readonly hub: ConsoleHub;
  readonly exits: ExitEvents;
  readonly activity: Pick<ActivityLog, 'record'>;
  readonly triggers: GameTriggers;
  /** Serialises starts. */
  readonly engineCalls: KeyedMutex;
  readonly failpoint: Failpoint;
  readonly settings: GameSettings;
}

export interface GameTriggers {
  fire(serverId: string, kind: EventTriggerKind): void;
}

export interface GameSettings {
  /** Default for servers and eggs without one. */
  readonly stopGraceMs: number;
  /** Also the limit of a start that waits for an unavailable dependency. */
  readonly startTimeoutMs: number;
  readonly crash: CrashPolicy;
  readonly timezone: string;
  /** Expiry of power and operation leases. */
  readonly workTtlMs: number;
}
