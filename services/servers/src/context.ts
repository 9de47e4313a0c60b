import {
  type Connection,
  createExportGrantSigner,
  createGrantSigner,
  type GrantSigner,
  type ServiceBase,
} from '@panel/rpc';
import type { ConcurrencyLimiter } from '@panel/kit/async';
import { isAppError } from '@panel/kit/errors';
import { createAddressGuard } from '@panel/kit/net';
import { createSeal, type Job, type Jobs, type Logger } from '@panel/kit/process';
import { createOutboxMetrics } from '@panel/outbox';
import { ActivityServiceService, MailServiceService } from '@panel/protos/admin';
import { RoleServiceService, UserServiceService } from '@panel/protos/identity';
import { type ActivityLog, createActivityLog } from './activity-log.js';
import type { ServersConfig } from './config.js';
import type { NodePolicy } from './domain/nodes/check-node.js';
import type { Failpoint } from './failpoint.js';
import { createDatabaseEngines, type DatabaseEngines } from './database-engines/drivers/engines.js';
import { createBackupDumps } from './database-engines/dumps/backup-dumps.js';
import { DumpService } from './database-engines/dumps/dump-service.js';
import { DatabaseSizes } from './database-engines/database-sizes.js';
import { DatabaseWorker } from './database-engines/database-worker.js';
import { Orchestrator } from './orchestrator.js';
import { createStores, type Stores } from './models/stores.js';
import { consoleMessages } from './present/console-messages.js';
import { createSubuserJobs } from './users/subuser-jobs.js';
import { createTurns, CreationTurns } from './usecases/servers/creation-turns.js';
import { createUserDirectory, type UserDirectory } from './users/user-directory.js';
import { NodeFiles } from './node-clients/files.js';
import { otherFilesAddress } from './node-clients/other-files-address.js';
import { type RuntimeFactory, runtimeFactory } from './node-clients/runtimes.js';
import { createStartBackup } from './usecases/backups/scheduled-backup.js';
import { createHoldsPermission } from './scheduling/author-permissions.js';
import { PlayerWatch } from './scheduling/player-watch.js';
import type { HoldsPermission, ServerLimits, StartBackup } from './scheduling/ports.js';
import { ScheduleRunner } from './scheduling/schedule-runner.js';
import { createScheduleTriggers, type ScheduleTriggers } from './scheduling/schedule-triggers.js';
import { createServerLimits } from './scheduling/server-limits.js';
import { createWebhookSigner, type WebhookSigner } from './scheduling/webhook.js';

/** What tests put in the place of the real thing. */
export interface ContextOverrides {
  readonly createRuntime?: RuntimeFactory;
  readonly failpoint?: Failpoint;
  readonly clock?: () => Date;
  readonly limits?: ServerLimits;
  readonly startBackup?: StartBackup;
  readonly holdsPermission?: HoldsPermission;
}

/** What the handlers hold. */
export interface ServersContext {
  readonly stores: Stores;
  readonly orchestrator: Orchestrator;
  readonly files: NodeFiles;
  readonly databaseEngines: DatabaseEngines;
  /** How long a dead process keeps others from a database. */
  readonly databaseLeaseMs: number;
  readonly databaseWorker: DatabaseWorker;
  readonly databaseSizes: DatabaseSizes;
  readonly databaseDumps: DumpService;
  readonly log: Logger;
  readonly activity: ActivityLog;
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
  /** The limits that this service counts together with the gateways. */
  readonly limits: ServerLimits;
  /** Whether identity knows the user. Throws SERVICE_UNAVAILABLE. */
  readonly userExists: (userId: string) => Promise<boolean>;
  readonly users: UserDirectory;
  /** Invitations that one user may make in 15 minutes. */
  readonly invitationLimit: number;
  readonly subuserJobs: readonly Job[];
  /** Creations for one server, by its id. */
  readonly creationTurns: CreationTurns;
  /** Creations of servers, which all write to the documents of the nodes. */
  readonly placementTurns: ConcurrencyLimiter;
  /** The way to another replica, for watching what it watches; closed at stop. */
  readonly replica: (address: string) => Connection;
}

const identityMs = 3_000;

export function createContext(
  config: ServersConfig,
  base: ServiceBase,
  overrides: ContextOverrides = {},
): ServersContext {
  const clock = overrides.clock ?? base.clock;
  const stores = createStores(base.mongo, createSeal(config.sealSecrets, 'panel-servers'), clock);
  const exportGrants = createExportGrantSigner(config.serviceSecret);
  const guard = createAddressGuard(config.nodeLocalAddresses);
  const nodePolicy = { allowsProcessNodes: config.allowsProcessNodes, isAllowedAddress: guard.isAllowed };
  const files = new NodeFiles(
    (address, options) => base.connectTo(address, options),
    config.filesAddress,
    exportGrants,
    guard,
    async (unreachableAddress) => otherFilesAddress({ stores, files }, unreachableAddress),
  );
  const failpoint = overrides.failpoint ?? config.failpoint;
  const admin = config.adminAddress === null ? null : base.connectTo(config.adminAddress);
  const outboxMetrics = createOutboxMetrics(base.metrics.registry);
  const activity = createActivityLog({
    client: admin?.client(ActivityServiceService) ?? null,
    outbox: stores.activity,
    tasks: base.tasks,
    jobs: base.jobs,
    metrics: outboxMetrics,
    log: base.log,
    clock,
  });
  const webhooks = createWebhookSigner(config.serviceSecret);
  const triggers = createScheduleTriggers({ schedules: stores.schedules, webhooks, tasks: base.tasks, clock });
  const players = new PlayerWatch({ schedules: stores.schedules, tasks: base.tasks, clock });
  const grants = createGrantSigner(config.serviceSecret);
  const databaseEngines = createDatabaseEngines(guard);
  const databaseDumps = new DumpService({
    stores,
    engines: databaseEngines,
    maxDumpBytes: config.maxDumpBytes,
    log: base.log,
  });
  const dumpDeps = { databases: stores.databases, dumps: databaseDumps, files, grants, log: base.log };
  const orchestrator = new Orchestrator({
    backupDumps: createBackupDumps(dumpDeps),
    triggers,
    players,
    consoleMessages,
    clock,
    activity,
    log: base.log,
    tasks: base.tasks,
    jobs: base.jobs,
    stores,
    files,
    createRuntime:
      overrides.createRuntime ??
      runtimeFactory({
        runDir: config.runDir,
        network: config.gameNetwork,
        allowsProcessNodes: config.allowsProcessNodes,
        guard,
      }),
    failpoint,
    settings: {
      stopGraceMs: config.stopGraceMs,
      endsGamesWithService: config.gamesOnShutdown === 'stop',
      startTimeoutMs: config.startTimeoutMs,
      diskWatchMs: config.diskWatchMs,
      minFreeDiskMb: config.minFreeDiskMb,
      installTimeoutMs: config.installTimeoutMs,
      transferTimeoutMs: config.transferTimeoutMs,
      transfersPerNode: config.transfersPerNode,
      crash: config.crash,
      timezone: config.timezone,
      workTtlMs: config.leaseTtlMs * 2,
    },
    leaseTtlMs: config.leaseTtlMs,
    reconcileMs: config.reconcileMs,
    diskCheckMs: config.diskCheckMs,
    usageIntervalMs: config.usageIntervalMs,
    gamesOnShutdown: config.gamesOnShutdown,
  });
  const identity = base.connectTo(config.identityAddress);
  const users = identity.client(UserServiceService);
  const limits =
    overrides.limits ??
    createServerLimits({ redisUrl: config.redisUrl, commandsPerMinute: config.commandsPerMinute, log: base.log });
  const backups = { stores, orchestrator, files, activity, failpoint, backupsPerMinute: config.backupsPerMinute };
  const attempt: Jobs['attempt'] = async (...item) => base.jobs.attempt(...item);
  const schedules = new ScheduleRunner({
    stores,
    orchestrator,
    limits,
    startBackup: overrides.startBackup ?? createStartBackup(backups),
    holdsPermission:
      overrides.holdsPermission ?? createHoldsPermission({ users, roles: identity.client(RoleServiceService) }),
    activity,
    tasks: base.tasks,
    attempt,
    failpoint,
    clock,
    log: base.log,
  });
  const directory = createUserDirectory(users);
  const subuserJobs = createSubuserJobs({
    stores,
    users: directory,
    mail: admin?.client(MailServiceService) ?? null,
    metrics: outboxMetrics,
    clock,
    log: base.log,
    invitationCheckMs: config.invitationCheckMs,
    attempt,
  });
  const { databaseLeaseMs } = config;
  const databaseDeps = { stores, databaseEngines, databaseLeaseMs, failpoint, clock, log: base.log };
  return {
    stores,
    users: directory,
    invitationLimit: config.invitationLimit,
    subuserJobs,
    orchestrator,
    databaseEngines,
    databaseLeaseMs,
    databaseWorker: new DatabaseWorker({ ...databaseDeps, attempt }, base.tasks),
    databaseDumps,
    databaseSizes: new DatabaseSizes({ databases: stores.databases, engines: databaseEngines, clock, log: base.log }),
    log: base.log,
    files,
    activity,
    grants,
    failpoint,
    nodePolicy,
    timezone: config.timezone,
    backupsPerMinute: config.backupsPerMinute,
    keepsBackups: config.keepsBackups,
    clock,
    schedules,
    players,
    triggers,
    webhooks,
    limits,
    creationTurns: new CreationTurns({ concurrency: 1, maxWaiting: 60 }),
    placementTurns: createTurns({ concurrency: 4, maxWaiting: 60 }),
    userExists: async (userId) => {
      try {
        await users.getUser({ userId }, { timeoutMs: identityMs });
        return true;
      } catch (error) {
        if (isAppError(error) && (error.kind === 'not_found' || error.kind === 'invalid_argument')) return false;
        throw error;
      }
    },
    replica: once((address) => base.connectTo(address, { streams: 'events' })),
  };
}

/** One connection for each other replica. */
function once(open: (address: string) => Connection): (address: string) => Connection {
  const connections = new Map<string, Connection>();
  return (address) => {
    let connection = connections.get(address);
    if (!connection) {
      connection = open(address);
      connections.set(address, connection);
    }
    return connection;
  };
}
