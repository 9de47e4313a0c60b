import type { ActivityLog } from '@panel/activity';
import type { KeyedMutex } from '@panel/kit/async';
import type { Failpoint, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import type { ConsoleHub } from '../console/console-hub.js';
import type { CrashPolicy } from '../domain/power/crash-policy.js';
import type { NodeStore } from '../models/nodes/node.js';
import type { ServerStore } from '../models/servers/server.js';
import type { NodeFiles } from '../node-clients/files.js';
import type { Runtimes } from '../node-clients/runtimes.js';
import type { EventTriggerKind } from '../domain/schedules/schedule.js';
import type { ExitEvents } from './exit-events.js';

/** What the work on games needs. */
export interface GameDeps {
  /** This replica, as the owner of leases. */
  readonly owner: string;
  readonly clock: () => Date;
  readonly log: Logger;
  readonly tasks: TaskGroup;
  /** For the parts of periodic work that concern one server each. */
  readonly attempt: Jobs['attempt'];
  readonly servers: ServerStore;
  readonly nodes: NodeStore;
  readonly runtimes: Runtimes;
  readonly files: NodeFiles;
  readonly hub: ConsoleHub;
  readonly exits: ExitEvents;
  readonly activity: Pick<ActivityLog, 'record'>;
  readonly triggers: GameTriggers;
  /** Keeps two starts of one server from meeting at the engine. */
  readonly engineCalls: KeyedMutex;
  readonly failpoint: Failpoint;
  readonly settings: GameSettings;
}

/** Hears what happens to games. */
export interface GameTriggers {
  fire(serverId: string, kind: EventTriggerKind): void;
}

export interface GameSettings {
  /** For servers whose own settings and egg say nothing. */
  readonly stopGraceMs: number;
  readonly crash: CrashPolicy;
  readonly timezone: string;
  /** Expiry of power leases and operation leases: work whose worker died is taken over after this long. */
  readonly workTtlMs: number;
}
