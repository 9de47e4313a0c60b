import path from 'node:path';
import { duration, integer, listenAddress, parseEnvironment, secret, type Environment } from '@panel/kit/process';
import { z } from 'zod';

export type RuntimeChoice = 'auto' | 'docker' | 'process';

export interface StackConfig {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly sftpListen?: string | undefined;
  /** Absolute path of all the installation's data. */
  readonly dataDir: string;
  readonly adminEmail: string;
  /** Undefined: generated for the first admin. */
  readonly adminPassword: string | undefined;
  readonly mongoUrl: string | undefined;
  readonly mongodBin: string | undefined;
  readonly databaseMinFreeDiskMb: number;
  readonly redisUrl: string | undefined;
  readonly runtime: RuntimeChoice;
  /** Undefined: the usual socket. */
  readonly dockerHost: string | undefined;
  /** With ca.pem, cert.pem and key.pem for an engine behind TLS. */
  readonly dockerCertPath: string | undefined;
  readonly seed: 'demo' | 'none';
  /** Undefined: that of DATA_DIR. */
  readonly jwtSecret: string | undefined;
  readonly searchPath: string;
  /** Filtered by `forwardedEnv`. */
  readonly passedOn: Environment;
}

/** For every process; they validate them. */
const passedToAll = [
  'PATH',
  'HOME',
  'LANG',
  'TZ',
  'TMPDIR',
  'NODE_EXTRA_CA_CERTS',
  'NODE_COMPILE_CACHE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'LOG_LEVEL',
  'GRPC_TLS_CERT',
  'GRPC_TLS_KEY',
  'GRPC_TLS_CA',
  'GRPC_TRANSPORT',
  'TEST_CLOCK',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
  'OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_TRACES_SAMPLER_ARG',
];
/** Excludes the launcher's own settings. */
const passedToOne: Readonly<Record<string, readonly string[]>> = {
  admin: ['SMTP_ALLOWED_ADDRESSES'],
  identity: ['JWT_ACCESS_EXPIRY', 'JWT_REFRESH_EXPIRY', 'KEY_PREFIX'],
  servers: [
    'INSTALL_TIMEOUT',
    'START_TIMEOUT',
    'STOP_GRACE',
    'TRANSFER_TIMEOUT',
    'TRANSFERS_PER_NODE',
    'NODE_MIN_FREE_DISK',
    'NODE_LEASE_TTL',
    'DATABASE_LEASE_TTL',
    'RECONCILE_INTERVAL',
    'DISK_WATCH_INTERVAL',
    'DISK_CHECK_INTERVAL',
    'CRASH_MAX_RESTARTS',
    'CRASH_WINDOW',
    'CRASH_BACKOFF',
    'CRASH_ON_CLEAN_EXIT',
    'GAME_DNS',
    'GAME_LINK_LOCAL',
    'GAME_TIMEZONE',
    'ENCRYPTION_KEYS',
    'RATE_LIMIT_CONSOLE',
    'RATE_LIMIT_BACKUP',
    'BACKUPS_OF_DELETED_SERVERS',
    'INVITATION_LIMIT',
    'INVITATION_CHECK_INTERVAL',
    'DATABASE_RECONCILE_INTERVAL',
    'REFERENCE_CHECK_INTERVAL',
    'DATABASE_MAX_DUMP',
    'USAGE_INTERVAL',
  ],
  files: [
    'GAME_UID',
    'GAME_GID',
    'MIN_FREE_DISK_MB',
    'DISK_QUOTAS',
    'TRASH_HOURS',
    'FILE_HISTORY_DAYS',
    'PULL_ALLOW_PRIVATE',
    'DIRECT_LISTEN',
    'DIRECT_TLS_CERT',
    'DIRECT_TLS_KEY',
    'DIRECT_ORIGINS',
    'DIRECT_TRUSTED_PROXIES',
    'BACKUP_DIRECTORY',
    'BACKUPS_AT_ONCE',
    'BACKUP_RETENTION_DAYS',
    'BACKUP_STORAGE',
    'BACKUP_S3_BUCKET',
    'BACKUP_S3_ENDPOINT',
    'BACKUP_S3_REGION',
    'BACKUP_S3_ACCESS_KEY',
    'BACKUP_S3_SECRET_KEY',
    'BACKUP_S3_PREFIX',
    'BACKUP_S3_PATH_STYLE',
    'BACKUP_RESTIC_REPOSITORY',
    'BACKUP_RESTIC_PASSWORD',
  ],
  billing: [
    'STRIPE_SECRET_KEY',
    'STRIPE_WEBHOOK_SECRET',
    'STRIPE_API_BASE',
    'PAYPAL_CLIENT_ID',
    'PAYPAL_CLIENT_SECRET',
    'PAYPAL_WEBHOOK_ID',
    'PAYPAL_API_BASE',
    'MOLLIE_API_KEY',
    'MOLLIE_WEBHOOK_SECRET',
    'MOLLIE_API_BASE',
    'VIES_API_BASE',
  ],
  gateway: [
    'KEY_PREFIX',
    'TRUSTED_PROXIES',
    'COUNTRY_HEADER',
    'CORS_ORIGINS',
    'CONSOLE',
    'FILES_MAX_UPLOAD',
    'MAX_BODY_BYTES_IN_FLIGHT',
    'CONSOLE_RECHECK_GRACE',
    'GATEWAY_WORKERS',
    'CHECK_RESPONSES',
    'MAX_CONNECTIONS',
    'MAX_CONNECTIONS_PER_ADDRESS',
  ],
};
const rateLimitPrefix = 'RATE_LIMIT_';

export const variables = {
  HOST: z.string().default('127.0.0.1').describe('address the gateway listens on'),
  PORT: integer(0, 65_535).prefault('8080').describe('port of the gateway; 0 takes any free one'),
  SFTP_LISTEN: listenAddress
    .optional()
    .describe('host:port of the SFTP server; default: HOST and port 2022, or any free one where that is taken'),
  DATA_DIR: z
    .string()
    .default('.data')
    .describe('directory of all data of the installation; stack.json in it lists addresses'),
  ADMIN_EMAIL: z
    .email('must be an e-mail address')
    .default('admin@localhost.localdomain')
    .describe('e-mail of the first administrator'),
  ADMIN_PASSWORD: z
    .string()
    .min(10, 'must have at least 10 characters')
    .max(128)
    .optional()
    .describe('password of the first administrator; generated and shown once unless set'),
  MONGO_URL: z
    .string()
    .regex(/^mongodb(\+srv)?:\/\/./, 'must look like mongodb://host:port/')
    .optional()
    .describe('MongoDB to use instead of starting one'),
  MONGOD_BIN: z.string().optional().describe('path of a mongod to start'),
  DATABASE_MIN_FREE_DISK_MB: integer(0, 1_000_000)
    .prefault('64')
    .describe('the embedded MongoDB refuses writes while less is free on the disk of DATA_DIR, in MB; 0: never'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/./, 'must look like redis://host:port')
    .optional()
    .describe('Redis for shared rate limits and revocations; needed for more than one gateway process'),
  RUNTIME: z
    .enum(['auto', 'docker', 'process'], 'must be auto, docker or process')
    .default('auto')
    .describe('how games run: docker, process, or docker when an engine answers'),
  DOCKER_HOST: z
    .string()
    .regex(/^(unix|tcp|https?):\/\/./, 'must look like unix:///path or tcp://host:2376')
    .optional()
    .describe('address of the container engine; the usual socket unless set'),
  DOCKER_CERT_PATH: z
    .string()
    .optional()
    .describe('directory with ca.pem, cert.pem and key.pem of the container engine'),
  SEED: z
    .enum(['demo', 'none'], 'must be demo or none')
    .default('demo')
    .describe('what the first start creates: a node, allocations and eggs, or nothing'),
  JWT_SECRET: secret.optional().describe('secret that signs sessions, generated and kept in DATA_DIR unless set'),
  JWT_ACCESS_EXPIRY: duration.optional().describe('lifetime of access tokens'),
  JWT_REFRESH_EXPIRY: duration.optional().describe('lifetime of refresh tokens and sessions'),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be a lower-case letter followed by at most 15 letters and digits')
    .optional()
    .describe('prefix of API keys'),
};

/** Throws ConfigError with all problems. */
export function readStackConfig(env: Environment = process.env): StackConfig {
  const parsed = parseEnvironment(env, variables);
  return {
    host: parsed.HOST,
    port: parsed.PORT,
    sftpListen: parsed.SFTP_LISTEN,
    dataDir: path.resolve(parsed.DATA_DIR),
    adminEmail: parsed.ADMIN_EMAIL,
    adminPassword: parsed.ADMIN_PASSWORD,
    mongoUrl: parsed.MONGO_URL,
    mongodBin: parsed.MONGOD_BIN,
    databaseMinFreeDiskMb: parsed.DATABASE_MIN_FREE_DISK_MB,
    redisUrl: parsed.REDIS_URL,
    runtime: parsed.RUNTIME,
    dockerHost: parsed.DOCKER_HOST,
    dockerCertPath: parsed.DOCKER_CERT_PATH,
    seed: parsed.SEED,
    jwtSecret: parsed.JWT_SECRET,
    searchPath: env['PATH'] ?? '',
    passedOn: env,
  };
}

/** Only variables that the process reads. */
export function forwardedEnv(kind: string, env: Environment): Environment {
  const limits = kind === 'gateway' ? Object.keys(env).filter((name) => name.startsWith(rateLimitPrefix)) : [];
  const names = [...passedToAll, ...(passedToOne[kind] ?? []), ...limits];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
