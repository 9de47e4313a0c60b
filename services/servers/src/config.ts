import { isIP } from 'node:net';
import {
  createFailpoint,
  duration,
  type Environment,
  type Failpoint,
  integer,
  type LocalAddresses,
  localAddresses,
  parseEnvironment,
  secret,
} from '@panel/kit/process';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { z } from 'zod';
import type { CrashPolicy } from './domain/power/crash-policy.js';
import type { NetworkSettings } from '@panel/runtime';

export interface ServersConfig extends ServiceConfig {
  readonly filesAddress: string;
  readonly identityAddress: string;
  /** Null: no activity log. */
  readonly adminAddress: string | null;
  /** Null: nothing is sold. */
  readonly billingAddress: string | null;
  readonly runDir: string;
  /** Null: the listen address. */
  readonly advertiseAddress: string | null;
  readonly gamesOnShutdown: 'keep' | 'stop';
  readonly installTimeoutMs: number;
  /** Then a started game counts as running. */
  readonly startTimeoutMs: number;
  /** From the egg's stop to the kill. */
  readonly stopGraceMs: number;
  readonly crash: CrashPolicy;
  readonly timezone: string;
  readonly gameNetwork: NetworkSettings;
  /** Games then run without isolation on this machine. */
  readonly allowsProcessNodes: boolean;
  /** For engines, files services and database hosts. */
  readonly nodeLocalAddresses: LocalAddresses;
  /** Kept free by installations. */
  readonly minFreeDiskMb: number;
  /** During installations and starts. */
  readonly diskWatchMs: number;
  /** Expiry of node leases: then another replica takes over. */
  readonly leaseTtlMs: number;
  /** Without progress. */
  readonly transferTimeoutMs: number;
  /** From or to one node. */
  readonly transfersPerNode: number;
  /** Per server. */
  readonly backupsPerMinute: number;
  /** Default for deleted servers. */
  readonly keepsBackups: boolean;
  /** Of engines with the database. */
  readonly reconcileMs: number;
  /** Of running games. */
  readonly diskCheckMs: number;
  readonly usageIntervalMs: number;
  /** Null: local limits. */
  readonly redisUrl: string | null;
  /** Each grants its fraction of the limits while Redis is unavailable. */
  readonly replicas: number;
  /** Per server, of users and schedules together. */
  readonly commandsPerMinute: number;
  /** Per user and 15 minutes. */
  readonly invitationLimit: number;
  readonly invitationCheckMs: number;
  readonly maxDumpBytes: number;
  /** Must exceed the longest operation on a database. */
  readonly databaseLeaseMs: number;
  readonly referenceCheckMs: number;
  readonly databaseReconcileMs: number;
  /** The first secret seals, all of them open. */
  readonly sealSecrets: readonly string[];
  /** Never in production. */
  readonly failpoint: Failpoint;
}

const secretList = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .pipe(z.array(secret))
  .describe('secrets of at least 32 characters with commas between, the newest first');

const addressList = z
  .string()
  .transform((text) => (text.trim() === '' ? [] : text.split(',').map((one) => one.trim())))
  .pipe(z.array(z.string().refine((one) => isIP(one) !== 0)))
  .describe('IP addresses with commas between');

export const variables = {
  ...serviceVariables,
  FILES_ADDRESS: grpcTarget.describe('host:port of the files service'),
  IDENTITY_ADDRESS: grpcTarget.describe('host:port of the identity service'),
  ADMIN_ADDRESS: grpcTarget.optional().describe('host:port of the admin service'),
  BILLING_ADDRESS: grpcTarget
    .optional()
    .describe('host:port of the billing service; without it eggs are deleted whatever products sell'),
  RUN_DIR: z
    .string()
    .default('.data/run')
    .describe('directory of the process runtime: pid files, sockets and logs of games'),
  ADVERTISE_ADDRESS: grpcTarget
    .optional()
    .describe('host:port under which other replicas reach this one; the address of LISTEN unless set'),
  GAMES_ON_SHUTDOWN: z
    .enum(['keep', 'stop'])
    .default('keep')
    .describe('whether games keep running or stop when the process stops'),
  INSTALL_TIMEOUT: duration.prefault('60m').describe('longest duration of an install script'),
  START_TIMEOUT: duration
    .prefault('5m')
    .describe('time after which a starting game counts as running, and for which a start waits for what is away'),
  STOP_GRACE: duration.prefault('10m').describe('time between the stop command and the kill'),
  CRASH_MAX_RESTARTS: integer(0, 100).prefault('3').describe('restarts of a crashed game within CRASH_WINDOW'),
  CRASH_WINDOW: duration.prefault('10m').describe('period in which restarts are counted'),
  CRASH_BACKOFF: duration.prefault('2s').describe('pause before the first restart; doubled with each further one'),
  CRASH_ON_CLEAN_EXIT: z
    .enum(['true', 'false'])
    .default('true')
    .describe('whether a game that exits by itself with code 0 has crashed'),
  TRANSFER_TIMEOUT: duration
    .prefault('15m')
    .describe('time without progress after which a transfer to another node is cancelled'),
  TRANSFERS_PER_NODE: integer(1, 100).prefault('2').describe('concurrent transfers from or to one node'),
  GAME_TIMEZONE: z.string().default('UTC').describe('time zone of games'),
  GAME_DNS: addressList
    .prefault('1.1.1.1,1.0.0.1')
    .describe('name servers of game containers, separated by commas; those of the engine when empty'),
  GAME_LINK_LOCAL: z
    .enum(['deny', 'allow'])
    .default('deny')
    .describe('whether game containers reach 169.254.0.0/16, where clouds serve the credentials of the node'),
  PROCESS_NODES: z
    .enum(['deny', 'allow'])
    .default('deny')
    .describe('whether nodes may use the process runtime, which runs games without isolation'),
  NODE_LOCAL_ADDRESSES: localAddresses.describe(
    'which local and link-local addresses nodes may name for their engine and files service, and database hosts',
  ),
  NODE_MIN_FREE_DISK: integer(0, 10_000_000)
    .prefault('1024')
    .describe('free MB that an installation leaves on the disk of a node'),
  DISK_WATCH_INTERVAL: duration
    .prefault('2s')
    .describe('interval between measurements of servers that install or start'),
  NODE_LEASE_TTL: duration
    .prefault('15s')
    .describe('time after which another replica takes over the nodes of a dead one'),
  DATABASE_LEASE_TTL: duration
    .prefault('60s')
    .describe('time after which another replica continues what a dead one did with a database of a server'),
  RECONCILE_INTERVAL: duration.prefault('30s').describe('interval between comparisons of engines with the database'),
  DISK_CHECK_INTERVAL: duration.prefault('60s').describe('interval between checks of the disk usage of running games'),
  USAGE_INTERVAL: duration
    .pipe(
      z
        .number()
        .min(1_000, 'must be at least 1s')
        .max(20 * 60_000, 'must be at most 20m'),
    )
    .prefault('60s')
    .describe('interval between measurements of the usage of metered servers; 1s to 20m'),
  INVITATION_LIMIT: integer(1, 100_000)
    .prefault('20')
    .describe('subusers that one user may invite in 15 minutes, on all servers together'),
  INVITATION_CHECK_INTERVAL: duration
    .prefault('10s')
    .describe('interval between checks whether invited addresses have an account'),
  DATABASE_MAX_DUMP: integer(1, 1_000_000)
    .prefault('1024')
    .describe('largest dump of a database that is exported or imported, in MB'),
  REFERENCE_CHECK_INTERVAL: duration
    .prefault('1h')
    .describe('interval between searches for references to users, nodes, eggs and servers that are gone'),
  DATABASE_RECONCILE_INTERVAL: duration
    .prefault('15m')
    .describe('interval between comparisons of database hosts with the records of databases'),
  ENCRYPTION_KEYS: secretList
    .optional()
    .describe(
      'secrets that encrypt engine keys, database passwords and credentials of registries in the database, newest first, separated by commas; SERVICE_SECRET unless set, which is to be the last of them when they are set later',
    ),
  BACKUPS_OF_DELETED_SERVERS: z
    .enum(['delete', 'keep'])
    .default('delete')
    .describe('what happens to the backups of a server that is deleted, unless the request says it'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/\S+$/, 'must be a redis:// or rediss:// address')
    .optional()
    .describe('Redis for the limit of console commands; needed for more than one process'),
  SERVERS_REPLICAS: integer(1, 1_000)
    .prefault('1')
    .describe('number of processes of this service; divides the limit of commands while Redis is unavailable'),
  RATE_LIMIT_CONSOLE: integer(1, 1_000_000)
    .prefault('30')
    .describe('console commands per minute of a server, of users and schedules together'),
  RATE_LIMIT_BACKUP: integer(1, 1_000_000)
    .prefault('5')
    .describe('backup requests per minute of a server; as at the gateways'),
  FAILPOINT: z
    .string()
    .optional()
    .describe('point in the code at which the process fails on purpose, like start.claimed:kill; for tests only'),
};

/** Throws ConfigError with all problems. */
export function readConfig(env: Environment = process.env): ServersConfig {
  const parsed = parseEnvironment(env, variables);
  return {
    ...serviceConfig(parsed),
    filesAddress: parsed.FILES_ADDRESS,
    identityAddress: parsed.IDENTITY_ADDRESS,
    adminAddress: parsed.ADMIN_ADDRESS ?? null,
    billingAddress: parsed.BILLING_ADDRESS ?? null,
    runDir: parsed.RUN_DIR,
    advertiseAddress: parsed.ADVERTISE_ADDRESS ?? null,
    gamesOnShutdown: parsed.GAMES_ON_SHUTDOWN,
    installTimeoutMs: parsed.INSTALL_TIMEOUT,
    startTimeoutMs: parsed.START_TIMEOUT,
    stopGraceMs: parsed.STOP_GRACE,
    crash: {
      maxRestarts: parsed.CRASH_MAX_RESTARTS,
      windowMs: parsed.CRASH_WINDOW,
      backoffMs: parsed.CRASH_BACKOFF,
      isCleanExitCrash: parsed.CRASH_ON_CLEAN_EXIT === 'true',
    },
    timezone: parsed.GAME_TIMEZONE,
    gameNetwork: { dns: parsed.GAME_DNS, reachesLinkLocal: parsed.GAME_LINK_LOCAL === 'allow' },
    allowsProcessNodes: parsed.PROCESS_NODES === 'allow',
    nodeLocalAddresses: parsed.NODE_LOCAL_ADDRESSES,
    minFreeDiskMb: parsed.NODE_MIN_FREE_DISK,
    diskWatchMs: parsed.DISK_WATCH_INTERVAL,
    leaseTtlMs: parsed.NODE_LEASE_TTL,
    transferTimeoutMs: parsed.TRANSFER_TIMEOUT,
    transfersPerNode: parsed.TRANSFERS_PER_NODE,
    backupsPerMinute: parsed.RATE_LIMIT_BACKUP,
    keepsBackups: parsed.BACKUPS_OF_DELETED_SERVERS === 'keep',
    reconcileMs: parsed.RECONCILE_INTERVAL,
    diskCheckMs: parsed.DISK_CHECK_INTERVAL,
    usageIntervalMs: parsed.USAGE_INTERVAL,
    invitationLimit: parsed.INVITATION_LIMIT,
    invitationCheckMs: parsed.INVITATION_CHECK_INTERVAL,
    maxDumpBytes: parsed.DATABASE_MAX_DUMP * 1024 * 1024,
    // Tests that kill replicas need a short lease.
    databaseLeaseMs: parsed.DATABASE_LEASE_TTL,
    referenceCheckMs: parsed.REFERENCE_CHECK_INTERVAL,
    databaseReconcileMs: parsed.DATABASE_RECONCILE_INTERVAL,
    sealSecrets: parsed.ENCRYPTION_KEYS ?? [parsed.SERVICE_SECRET],
    redisUrl: parsed.REDIS_URL ?? null,
    replicas: parsed.SERVERS_REPLICAS,
    commandsPerMinute: parsed.RATE_LIMIT_CONSOLE,
    failpoint: createFailpoint(parsed.FAILPOINT),
  };
}
