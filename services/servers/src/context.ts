import type { ActivityLog } from '@panel/activity';
import type { ConcurrencyLimiter } from '@panel/kit/async';
import type { Failpoint, Logger } from '@panel/kit/process';
import type { ProductServiceService } from '@panel/protos/billing';
import type { Client, Connection, GrantSigner } from '@panel/rpc';
import type { CommandLimiter } from './console/command-limiter.js';
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

export interface ServersContext {
  readonly stores: Stores;
  readonly files: NodeFiles;
  readonly runtimes: Runtimes;
  readonly hub: ConsoleHub;
  readonly meter: ResourceMeter;
  readonly commandLimiter: CommandLimiter;
  /** Starts the usage figures of a new watcher. */
  readonly reviewConsolesNow: () => void;
  readonly power: PowerService;
  readonly operations: OperationControl;
  /** Null until the advertised address is set. */
  readonly nodeLeases: () => LeaseKeeper | null;
  /** Owner name in locks and leases. */
  readonly replicaId: string;
  readonly workTtlMs: number;
  readonly databaseEngines: DatabaseEngines;
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
  /** Per server, API and schedules together. */
  readonly backupsPerMinute: number;
  readonly keepsBackups: boolean;
  /** Of machines, and as the database's: a test clock does not move it. */
  readonly clock: () => Date;
  /** Of schedules, access and usage. */
  readonly installationClock: () => Date;
  readonly schedules: ScheduleRunner;
  readonly players: PlayerWatch;
  readonly triggers: ScheduleTriggers;
  readonly webhooks: WebhookSigner;
  /** Throws SERVICE_UNAVAILABLE. */
  readonly userExists: (userId: string) => Promise<boolean>;
  readonly users: UserDirectory;
  /** Null: nothing is sold. */
  readonly products: Pick<Client<typeof ProductServiceService>, 'listProducts'> | null;
  /** Per user and 15 minutes. */
  readonly invitationLimit: number;
  /** By server id. */
  readonly creationQueue: CreationQueue;
  /** Server creations all write node documents. */
  readonly placementQueue: ConcurrencyLimiter;
  /** Streams of other replicas; closed at stop. */
  readonly replica: (address: string) => Connection;
}
