import type { ActivityLog } from '@panel/activity';
import type { ConcurrencyLimiter } from '@panel/kit/async';
import type { Failpoint, Logger } from '@panel/kit/process';
import type { Connection, GrantSigner } from '@panel/rpc';
import type { ConsoleHub } from './console/console-hub.js';
import type { ResourceMeter } from './console/resource-meter.js';
import type { DatabaseSizes } from './database-engines/database-sizes.js';
import type { DatabaseWorker } from './database-engines/database-worker.js';
import type { DatabaseEngines } from './database-engines/drivers/engines.js';
import type { DumpService } from './database-engines/dumps/dump-service.js';
import type { NodePolicy } from './domain/nodes/check-node.js';
import type { PowerService } from './games/power-service.js';
import type { Stores } from './models/stores.js';
import type { NodeFiles } from './node-clients/files.js';
import type { Runtimes } from './node-clients/runtimes.js';
import type { LeaseKeeper } from './nodes/lease-keeper.js';
import type { OperationControl } from './operations/operation.js';
import type { PlayerWatch } from './scheduling/player-watch.js';
import type { ScheduleRunner } from './scheduling/schedule-runner.js';
import type { ScheduleTriggers } from './scheduling/schedule-triggers.js';
import type { WebhookSigner } from './scheduling/webhook.js';
import type { CreationQueue } from './creation-queue.js';
import type { UserDirectory } from './users/user-directory.js';

/** What the handlers and use cases hold; the orchestrator builds it. */
export interface ServersContext {
  readonly stores: Stores;
  readonly files: NodeFiles;
  readonly runtimes: Runtimes;
  readonly hub: ConsoleHub;
  readonly meter: ResourceMeter;
  /** Have a new watcher of a console reviewed at once, so that its usage figures begin now. */
  readonly reviewConsolesNow: () => void;
  readonly power: PowerService;
  readonly operations: OperationControl;
  /** Null until the process knows the address under which other replicas find it. */
  readonly nodeLeases: () => LeaseKeeper | null;
  /** This replica, for locks and leases. */
  readonly replicaId: string;
  /** Expiry of operation leases. */
  readonly workTtlMs: number;
  readonly databaseEngines: DatabaseEngines;
  /** How long a dead process keeps others from a database. */
  readonly databaseLeaseMs: number;
  readonly databaseWorker: DatabaseWorker;
  readonly databaseSizes: DatabaseSizes;
  readonly databaseDumps: DumpService;
  readonly log: Logger;
  readonly activity: Pick<ActivityLog, 'record'>;
  readonly grants: GrantSigner;
  readonly failpoint: Failpoint;
  readonly nodePolicy: NodePolicy;
  readonly timezone: string;
  /** Backups that a server may begin in a minute, by the API and by schedules together. */
  readonly backupsPerMinute: number;
  /** Whether a deleted server leaves its backups unless the request says otherwise. */
  readonly keepsBackups: boolean;
  readonly clock: () => Date;
  readonly schedules: ScheduleRunner;
  readonly players: PlayerWatch;
  readonly triggers: ScheduleTriggers;
  readonly webhooks: WebhookSigner;
  /** Whether identity knows the user. Throws SERVICE_UNAVAILABLE. */
  readonly userExists: (userId: string) => Promise<boolean>;
  readonly users: UserDirectory;
  /** Invitations that one user may make in 15 minutes. */
  readonly invitationLimit: number;
  /** Creations for one server, by its id. */
  readonly creationQueue: CreationQueue;
  /** Creations of servers, which all write to the documents of the nodes. */
  readonly placementQueue: ConcurrencyLimiter;
  /** The way to another replica, for watching what it watches; closed at stop. */
  readonly replica: (address: string) => Connection;
}
