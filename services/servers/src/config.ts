import { isIP } from 'node:net';
import { duration, type Environment, integer, type LocalAddresses, parseEnvironment, secret } from '@panel/kit';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { z } from 'zod';
import type { CrashPolicy } from './domain/power/crash-policy.js';
import { createFailpoint, type Failpoint } from './failpoint.js';
import type { NetworkSettings } from '@panel/runtime';

export interface ServersConfig extends ServiceConfig {
  /** gRPC target of the files service for nodes that name none. */
  readonly filesAddress: string;
  readonly identityAddress: string;
  /** Null: activity is not noted down. */
  readonly adminAddress: string | null;
  /** Directory of the process runtime; one below it for each node. */
  readonly runDir: string;
  /** host:port under which the other replicas reach this one; null means the address it listens on. */
  readonly advertiseAddress: string | null;
  /** What becomes of running games when this process is asked to end. */
  readonly gamesOnShutdown: 'keep' | 'stop';
  readonly installTimeoutMs: number;
  /** After this long a started game counts as running, whatever it prints. */
  readonly startTimeoutMs: number;
  /** Time a game has to end by its own stop command before it is killed. */
  readonly stopGraceMs: number;
  readonly crash: CrashPolicy;
  /** Time zone of the games. */
  readonly timezone: string;
  /** What containers see of the network. */
  readonly gameNetwork: NetworkSettings;
  /** Whether nodes may have the process runtime, which runs games without isolation on the machine of this process. */
  readonly allowsProcessNodes: boolean;
  /** Which addresses of this machine and its link nodes may name for their engine and their files service. */
  readonly nodeLocalAddresses: LocalAddresses;
  /** Free space in MB that an installation leaves on the disk of a node. */
  readonly minFreeDiskMb: number;
  /** How often the files of servers that install or start are measured. */
  readonly diskWatchMs: number;
  /** Expiry of the leases on nodes; a replica that dies is replaced after this long. */
  readonly leaseTtlMs: number;
  /** A transfer that gets no further for this long is given up. */
  readonly transferTimeoutMs: number;
  /** Servers that are moved from or to one node at a time. */
  readonly transfersPerNode: number;
  /** How often engines are compared with the database. */
  readonly reconcileMs: number;
  /** How often the files of running games are compared with their limit. */
  readonly diskCheckMs: number;
  /** Seal what the database must not give away: the first one seals, all of them open. */
  readonly sealSecrets: readonly string[];
  /** Ends the process at a named point; never in production. */
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

const variables = {
  ...serviceVariables,
  FILES_ADDRESS: grpcTarget.describe('host:port of the files service'),
  IDENTITY_ADDRESS: grpcTarget.describe('host:port of the identity service'),
  ADMIN_ADDRESS: grpcTarget.optional(),
  RUN_DIR: z.string().default('.data/run'),
  ADVERTISE_ADDRESS: grpcTarget.optional(),
  GAMES_ON_SHUTDOWN: z.enum(['keep', 'stop']).default('keep'),
  INSTALL_TIMEOUT: duration.prefault('60m'),
  START_TIMEOUT: duration.prefault('5m'),
  STOP_GRACE: duration.prefault('10m'),
  CRASH_MAX_RESTARTS: integer(0, 100).prefault('3'),
  CRASH_WINDOW: duration.prefault('10m'),
  CRASH_BACKOFF: duration.prefault('2s'),
  CRASH_ON_CLEAN_EXIT: z.enum(['true', 'false']).default('true'),
  TRANSFER_TIMEOUT: duration.prefault('15m'),
  TRANSFERS_PER_NODE: integer(1, 100).prefault('2'),
  GAME_TIMEZONE: z.string().default('UTC'),
  GAME_DNS: addressList.prefault('1.1.1.1,1.0.0.1'),
  GAME_LINK_LOCAL: z.enum(['deny', 'allow']).default('deny'),
  PROCESS_NODES: z.enum(['deny', 'allow']).default('deny'),
  NODE_LOCAL_ADDRESSES: z.enum(['deny', 'loopback', 'allow']).default('deny'),
  NODE_MIN_FREE_DISK: integer(0, 10_000_000).prefault('1024'),
  DISK_WATCH_INTERVAL: duration.prefault('2s'),
  NODE_LEASE_TTL: duration.prefault('15s'),
  RECONCILE_INTERVAL: duration.prefault('30s'),
  DISK_CHECK_INTERVAL: duration.prefault('60s'),
  ENCRYPTION_KEYS: secretList.optional(),
  NODE_ENV: z.string().optional(),
  FAILPOINT: z.string().optional(),
};

/** Read and check the environment of this process; throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): ServersConfig {
  const parsed = parseEnvironment(env, variables);
  return {
    ...serviceConfig(parsed),
    filesAddress: parsed.FILES_ADDRESS,
    identityAddress: parsed.IDENTITY_ADDRESS,
    adminAddress: parsed.ADMIN_ADDRESS ?? null,
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
    reconcileMs: parsed.RECONCILE_INTERVAL,
    diskCheckMs: parsed.DISK_CHECK_INTERVAL,
    // What was sealed before there were keys of its own still opens.
    sealSecrets: [...(parsed.ENCRYPTION_KEYS ?? []), parsed.SERVICE_SECRET],
    failpoint: createFailpoint(parsed.NODE_ENV === 'test' ? parsed.FAILPOINT : undefined),
  };
}
