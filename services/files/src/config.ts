import path from 'node:path';
import {
  addressRanges,
  ConfigError,
  type Environment,
  integer,
  type LocalAddresses,
  listenAddress,
  localAddresses,
  origins,
  parseEnvironment,
} from '@panel/kit/process';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables } from '@panel/rpc';
import { z } from 'zod';
import type { ResticConfig } from './backups/restic/run-restic.js';
import type { S3Config } from './backups/archive/s3-blobs.js';
import { type BackupStorageKind, backupStorages } from './domain/backup.js';
import type { Owner } from './jail/owner.js';

export interface FilesConfig extends ServiceConfig {
  /** Absolute. */
  readonly dataRoot: string;
  /** Never root. */
  readonly owner: Owner;
  /** Writes stop below it. */
  readonly minFreeBytes: number;
  /** If available, never, or required to start. */
  readonly diskQuotas: 'auto' | 'off' | 'required';
  /** 0: deleted at once. */
  readonly trashRetentionMs: number;
  /** Of text files; 0: no history. */
  readonly versionRetentionMs: number;
  readonly pullAllowsPrivate: boolean;
  readonly nodeLocalAddresses: LocalAddresses;
  /** Null: no SFTP. */
  readonly sftp: SftpConfig | null;
  /** Null: access through the gateway only. */
  readonly direct: DirectConfig | null;
  /** Null: activity by SFTP is not recorded. */
  readonly adminAddress: string | null;
  readonly backupDirectory: string;
  readonly maxBackupsAtOnce: number;
  /** Of deleted servers; null: until staff delete them. */
  readonly backupRetentionMs: number | null;
  readonly backupStorage: BackupStorageKind;
  /** Null: no bucket. */
  readonly s3: S3Config | null;
  /** Null: no repository. */
  readonly restic: ResticConfig | null;
}

export interface DirectConfig {
  /** host:port. */
  readonly listen: string;
  /** Paths; null: plain HTTP (TLS proxy). */
  readonly tls: { readonly cert: string; readonly key: string } | null;
  /** Their X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** Of pages allowed to use it. */
  readonly origins: readonly string[];
  readonly identityAddress: string;
  readonly serversAddress: string;
}

interface SftpConfig {
  /** host:port. */
  readonly listen: string;
  readonly identityAddress: string;
  readonly serversAddress: string;
  /** Null: activity is not recorded. */
  readonly adminAddress: string | null;
}

interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

const dayMs = 24 * 60 * 60_000;
const maxId = 2 ** 31 - 1;
const mebibyte = 1024 * 1024;

export const variables = {
  ...serviceVariables,
  DATA_ROOT: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .describe('the directory for the files of all servers of this node, like /var/lib/panel'),
  GAME_UID: integer(0, maxId).default(988).describe('user of game files and games when the process runs as root'),
  GAME_GID: integer(0, maxId).default(988).describe('group of game files and games when the process runs as root'),
  MIN_FREE_DISK_MB: integer(0, 10_000_000)
    .default(512)
    .describe('free space of the node in MB below which uploads, copies and archives are refused'),
  DISK_QUOTAS: z
    .enum(['auto', 'off', 'required'])
    .default('auto')
    .describe(
      'whether the kernel holds disk limits by project quotas: where DATA_ROOT has them, never, or no start without',
    ),
  TRASH_HOURS: integer(0, 24 * 365)
    .default(24)
    .describe('how long deleted files can be restored; 0: not at all'),
  FILE_HISTORY_DAYS: integer(0, 3650)
    .default(30)
    .describe('how long earlier contents of text files are kept; 0: no history'),
  PULL_ALLOW_PRIVATE: z
    .enum(['true', 'false'])
    .default('false')
    .describe('whether files may be downloaded from private, loopback and link-local addresses'),
  NODE_LOCAL_ADDRESSES: localAddresses.describe(
    'which local and link-local addresses the files services of other nodes may have',
  ),
  SFTP_LISTEN: listenAddress
    .optional()
    .describe('host:port of the SFTP server, usually port 2022; without it there is none'),
  IDENTITY_ADDRESS: grpcTarget.optional().describe('host:port of the identity service, for SFTP'),
  SERVERS_ADDRESS: grpcTarget.optional().describe('host:port of the servers service, for SFTP'),
  ADMIN_ADDRESS: grpcTarget
    .optional()
    .describe('host:port of the admin service; without it what is done by SFTP is not recorded'),
  DIRECT_LISTEN: listenAddress
    .optional()
    .describe(
      'host:port for downloads and uploads of clients themselves, see public_url of nodes; without it there are none',
    ),
  DIRECT_TLS_CERT: z
    .string()
    .min(1)
    .optional()
    .describe('certificate file (PEM) of DIRECT_LISTEN; without it plain HTTP'),
  DIRECT_TLS_KEY: z.string().min(1).optional().describe('key file (PEM) of DIRECT_TLS_CERT'),
  DIRECT_ORIGINS: origins.prefault('').describe('origins of the panel, whose pages may use DIRECT_LISTEN'),
  DIRECT_TRUSTED_PROXIES: addressRanges
    .prefault('')
    .describe('addresses or CIDR ranges of proxies in front of DIRECT_LISTEN, whose X-Forwarded-For is trusted'),
  BACKUP_DIRECTORY: z
    .string()
    .startsWith('/', 'must be an absolute path')
    .optional()
    .describe('the directory for backups on the disk of the node; `backups` in DATA_ROOT unless set'),
  BACKUP_STORAGE: z
    .enum(backupStorages)
    .default('node')
    .describe('where new backups go: the disk of the node, a bucket, or a restic repository'),
  BACKUP_S3_BUCKET: z.string().min(1).optional().describe('bucket for backups'),
  BACKUP_S3_ENDPOINT: z.url().optional().describe('address of the bucket; that of AWS unless set'),
  BACKUP_S3_REGION: z.string().default('us-east-1').describe('region of the bucket'),
  BACKUP_S3_ACCESS_KEY: z.string().optional().describe('access key id for the bucket'),
  BACKUP_S3_SECRET_KEY: z.string().optional().describe('secret access key for the bucket'),
  BACKUP_S3_PREFIX: z
    .string()
    .regex(/^([^/].*\/)?$/, 'must end with a slash and not begin with one')
    .default('')
    .describe('in front of all keys in the bucket, like panel/'),
  BACKUP_S3_PATH_STYLE: z
    .enum(['true', 'false'])
    .default('false')
    .describe('whether the name of the bucket is part of the path, as storages other than AWS mostly want it'),
  BACKUP_RESTIC_REPOSITORY: z
    .string()
    .min(1)
    .optional()
    .describe('restic repository: a directory, or s3:https://host/bucket; each server has one below it'),
  BACKUP_RESTIC_PASSWORD: z
    .string()
    .min(12, 'must have at least 12 characters')
    .optional()
    .describe('password that encrypts the restic repositories; without it backups are lost'),
  BACKUP_RETENTION_DAYS: integer(0, 36_500)
    .prefault('30')
    .describe('days for which retained backups of deleted servers stay; 0: until staff delete them'),
  BACKUPS_AT_ONCE: integer(1, 64).default(1).describe('backups made at a time on the node'),
};

/** Throws ConfigError with all problems. */
export function readConfig(env: Environment = process.env, user: ProcessUser = processUser()): FilesConfig {
  const parsed = parseEnvironment(env, variables);
  return {
    ...serviceConfig(parsed),
    dataRoot: parsed.DATA_ROOT,
    minFreeBytes: parsed.MIN_FREE_DISK_MB * mebibyte,
    diskQuotas: parsed.DISK_QUOTAS,
    trashRetentionMs: parsed.TRASH_HOURS * 3_600_000,
    versionRetentionMs: parsed.FILE_HISTORY_DAYS * 24 * 3_600_000,
    nodeLocalAddresses: parsed.NODE_LOCAL_ADDRESSES,
    pullAllowsPrivate: parsed.PULL_ALLOW_PRIVATE === 'true',
    sftp: sftpConfig(parsed),
    adminAddress: parsed.ADMIN_ADDRESS ?? null,
    direct: directConfig(parsed),
    backupDirectory: parsed.BACKUP_DIRECTORY ?? path.join(parsed.DATA_ROOT, 'backups'),
    maxBackupsAtOnce: parsed.BACKUPS_AT_ONCE,
    backupRetentionMs: parsed.BACKUP_RETENTION_DAYS === 0 ? null : parsed.BACKUP_RETENTION_DAYS * dayMs,
    ...backupConfig(parsed),
    owner: ownerOf(user, { uid: parsed.GAME_UID, gid: parsed.GAME_GID }),
  };
}

function sftpConfig(parsed: {
  readonly SFTP_LISTEN?: string | undefined;
  readonly IDENTITY_ADDRESS?: string | undefined;
  readonly SERVERS_ADDRESS?: string | undefined;
  readonly ADMIN_ADDRESS?: string | undefined;
}): SftpConfig | null {
  const { ADMIN_ADDRESS, IDENTITY_ADDRESS, SERVERS_ADDRESS, SFTP_LISTEN: listen } = parsed;
  if (listen === undefined) return null;
  if (IDENTITY_ADDRESS === undefined || SERVERS_ADDRESS === undefined) {
    throw new ConfigError(['SFTP_LISTEN needs IDENTITY_ADDRESS and SERVERS_ADDRESS']);
  }
  const adminAddress = ADMIN_ADDRESS ?? null;
  return { listen, identityAddress: IDENTITY_ADDRESS, serversAddress: SERVERS_ADDRESS, adminAddress };
}

type Parsed = ReturnType<typeof parseEnvironment<typeof variables>>;

function directConfig(parsed: Parsed): DirectConfig | null {
  const { DIRECT_LISTEN: listen, DIRECT_TLS_CERT: cert, DIRECT_TLS_KEY: key } = parsed;
  if (listen === undefined) return null;
  const { IDENTITY_ADDRESS: identityAddress, SERVERS_ADDRESS: serversAddress } = parsed;
  if (identityAddress === undefined || serversAddress === undefined) {
    throw new ConfigError(['DIRECT_LISTEN needs IDENTITY_ADDRESS and SERVERS_ADDRESS']);
  }
  if ((cert === undefined) !== (key === undefined)) {
    throw new ConfigError(['DIRECT_TLS_CERT and DIRECT_TLS_KEY are given together']);
  }
  return {
    listen,
    tls: cert === undefined || key === undefined ? null : { cert, key },
    trustedProxies: parsed.DIRECT_TRUSTED_PROXIES,
    origins: parsed.DIRECT_ORIGINS,
    identityAddress,
    serversAddress,
  };
}

/** `node` is always configured. */
function backupConfig(parsed: Parsed): Pick<FilesConfig, 'backupStorage' | 's3' | 'restic'> {
  const accessKey = parsed.BACKUP_S3_ACCESS_KEY ?? '';
  const secretKey = parsed.BACKUP_S3_SECRET_KEY ?? '';
  const problems: string[] = [];
  const { BACKUP_STORAGE: backupStorage, BACKUP_S3_BUCKET: bucket, BACKUP_RESTIC_REPOSITORY: repository } = parsed;
  if (bucket !== undefined && (accessKey === '' || secretKey === '')) {
    problems.push('BACKUP_S3_BUCKET needs BACKUP_S3_ACCESS_KEY and BACKUP_S3_SECRET_KEY');
  }
  const password = parsed.BACKUP_RESTIC_PASSWORD ?? '';
  if (repository !== undefined && password === '') {
    problems.push('BACKUP_RESTIC_REPOSITORY needs BACKUP_RESTIC_PASSWORD');
  }
  if (backupStorage === 's3' && bucket === undefined) problems.push('BACKUP_STORAGE=s3 needs BACKUP_S3_BUCKET');
  if (backupStorage === 'restic' && repository === undefined) {
    problems.push('BACKUP_STORAGE=restic needs BACKUP_RESTIC_REPOSITORY');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  const s3: S3Config | null =
    bucket === undefined
      ? null
      : {
          bucket,
          endpoint: parsed.BACKUP_S3_ENDPOINT,
          region: parsed.BACKUP_S3_REGION,
          accessKey,
          secretKey,
          prefix: parsed.BACKUP_S3_PREFIX,
          usesPathStyle: parsed.BACKUP_S3_PATH_STYLE === 'true',
        };
  const workDirectory = path.join(parsed.DATA_ROOT, 'restic');
  const environment = {
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: secretKey,
    AWS_DEFAULT_REGION: parsed.BACKUP_S3_REGION,
  };
  const restic = repository === undefined ? null : { repository, password, environment, workDirectory };
  return { backupStorage, s3, restic };
}

/** Only root can chown; others own what they create. */
function ownerOf(user: ProcessUser, wanted: Owner): Owner {
  if (user.uid !== 0) return { uid: user.uid, gid: user.gid };
  if (wanted.uid !== 0 && wanted.gid !== 0) return wanted;
  throw new ConfigError(['GAME_UID and GAME_GID must not be 0: games never run as root']);
}

function processUser(): ProcessUser {
  if (process.getuid && process.getgid) return { uid: process.getuid(), gid: process.getgid() };
  throw new ConfigError(['the files service needs Linux']);
}
