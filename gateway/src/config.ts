import {
  ConfigError,
  duration,
  type Environment,
  integer,
  type LocalAddresses,
  localAddresses,
  parseEnvironment,
  secret,
  addressRanges,
  origins,
} from '@panel/kit/process';
import { redisKeyPrefix } from '@panel/kit/redis';
import { commonConfig, type CommonConfig, commonVariables, grpcTarget } from '@panel/rpc';
import { z } from 'zod';
import type { ConnectionLimits } from './http/connection-limits.js';
import type { RateLimits } from './limits/rules.js';

export interface GatewayConfig extends CommonConfig {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Access tokens; shared with identity. */
  readonly jwtSecret: string;
  /** Prefix of API keys, before an underscore. */
  readonly keyPrefix: string;
  /** Null: local counters, and every request calls identity. */
  readonly redisUrl: string | null;
  /** Key prefix, shared with identity. */
  readonly redisPrefix: string;
  /** Processes on this port. */
  readonly workers: number;
  /** Each grants its fraction while Redis is unavailable. */
  readonly replicas: number;
  /** Addresses and CIDR ranges trusted for X-Forwarded-For. */
  readonly trustedProxies: readonly string[];
  /** In lower case; empty: none. */
  readonly countryHeader: string;
  readonly corsOrigins: readonly string[];
  readonly webConsole: boolean;
  /** Per process. */
  readonly connections: ConnectionLimits;
  readonly rateLimits: RateLimits;
  /** Of an upload as bytes. */
  readonly maxUploadBytes: number;
  /** Buffered request bodies per process. */
  readonly maxBodyBytesInFlight: number;
  /** Closes consoles with rights unverified for longer. */
  readonly consoleRecheckGraceMs: number;
  /** Fails responses unlike their declaration: for tests, too slow for production. */
  readonly checkResponses: boolean;
  /** Allowed local addresses of files services. */
  readonly nodeLocalAddresses: LocalAddresses;
  /** gRPC targets. Nodes name their files services. */
  readonly services: ServiceAddresses;
}

export interface ServiceAddresses {
  readonly identity: string;
  readonly servers: string;
  readonly billing: string;
  readonly admin: string;
}

const perMinute = (normal: number) => integer(1, 1_000_000).prefault(`${normal}`);

export const variables = {
  ...commonVariables,
  HOST: z.string().default('127.0.0.1').describe('address the gateway listens on'),
  PORT: integer(0, 65_535).prefault('8080').describe('port of the gateway; 0 takes any free one'),
  JWT_SECRET: secret.describe('the secret that signs access tokens; make one with: openssl rand -base64 48'),
  KEY_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9]{1,16}$/, 'must be 1 to 16 letters or digits')
    .default('gsp')
    .describe('prefix of API keys'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/./, 'must look like redis://host:port')
    .optional()
    .describe('Redis for shared rate limits and revocations; needed for more than one gateway process'),
  GATEWAY_REPLICAS: integer(1, 10_000)
    .prefault('1')
    .describe('number of gateway processes; divides the rate limits while Redis is unavailable'),
  GATEWAY_WORKERS: integer(1, 64)
    .prefault('1')
    .describe('processes on this machine that share the port; more than one needs REDIS_URL'),
  TRUSTED_PROXIES: addressRanges.prefault('').describe('addresses or CIDR ranges whose X-Forwarded-For is trusted'),
  COUNTRY_HEADER: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9-]*$/, 'must be the name of a header')
    .default('')
    .describe('header in which a trusted proxy names the country of the caller, like cf-ipcountry: evidence for taxes'),
  CORS_ORIGINS: origins.prefault('').describe('origins of web pages that may call the API'),
  CONSOLE: z.enum(['on', 'off']).default('on').describe('serve the web console at `/`'),
  MAX_CONNECTIONS: integer(1, 1_000_000).prefault('10000').describe('open connections of one process'),
  MAX_CONNECTIONS_PER_ADDRESS: integer(1, 1_000_000)
    .prefault('1000')
    .describe('open connections of one client address'),
  // A quarter holds the largest body.
  MAX_BODY_BYTES_IN_FLIGHT: integer(16 * 1024 ** 2, 1024 ** 4)
    .prefault(`${64 * 1024 ** 2}`)
    .describe('bytes of buffered request bodies of a process, a quarter of them a caller; beyond it requests get 503'),
  CONSOLE_RECHECK_GRACE: duration
    .prefault('60s')
    .describe('time a console stays open while its access cannot be verified'),
  FILES_MAX_UPLOAD: integer(1, 1_000_000_000_000)
    .prefault(`${1024 ** 3}`)
    .describe('largest upload in bytes'),
  CHECK_RESPONSES: z
    .enum(['true', 'false'])
    .default('false')
    .describe('compare each response with its declaration and fail when it differs; for tests'),
  NODE_LOCAL_ADDRESSES: localAddresses.describe(
    'which local and link-local addresses the files services of nodes may have',
  ),
  RATE_LIMIT_GENERAL: perMinute(60).describe('requests per minute of a user or address'),
  RATE_LIMIT_AUTH: perMinute(10).describe('login requests per minute of an address'),
  RATE_LIMIT_UPLOAD: perMinute(10).describe('uploads per minute of a server'),
  RATE_LIMIT_BACKUP: perMinute(5).describe('backup requests per minute of a server'),
  IDENTITY_ADDRESS: grpcTarget.describe('host:port of the identity service'),
  SERVERS_ADDRESS: grpcTarget.describe('host:port of the servers service'),
  BILLING_ADDRESS: grpcTarget.describe('host:port of the billing service'),
  ADMIN_ADDRESS: grpcTarget.describe('host:port of the admin service'),
};

/** Throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): GatewayConfig {
  const parsed = parseEnvironment(env, variables);
  if (parsed.GATEWAY_WORKERS > 1 && parsed.REDIS_URL === undefined) {
    throw new ConfigError([
      'GATEWAY_WORKERS above 1 needs REDIS_URL: without Redis the processes could not count together',
    ]);
  }
  return {
    ...commonConfig(parsed),
    host: parsed.HOST,
    port: parsed.PORT,
    jwtSecret: parsed.JWT_SECRET,
    keyPrefix: parsed.KEY_PREFIX,
    redisUrl: parsed.REDIS_URL ?? null,
    redisPrefix: redisKeyPrefix,
    workers: parsed.GATEWAY_WORKERS,
    replicas: parsed.GATEWAY_REPLICAS * parsed.GATEWAY_WORKERS,
    trustedProxies: parsed.TRUSTED_PROXIES,
    countryHeader: parsed.COUNTRY_HEADER,
    corsOrigins: parsed.CORS_ORIGINS,
    webConsole: parsed.CONSOLE === 'on',
    connections: { total: parsed.MAX_CONNECTIONS, perAddress: parsed.MAX_CONNECTIONS_PER_ADDRESS },
    maxUploadBytes: parsed.FILES_MAX_UPLOAD,
    maxBodyBytesInFlight: parsed.MAX_BODY_BYTES_IN_FLIGHT,
    consoleRecheckGraceMs: parsed.CONSOLE_RECHECK_GRACE,
    checkResponses: parsed.CHECK_RESPONSES === 'true',
    rateLimits: {
      general: parsed.RATE_LIMIT_GENERAL,
      auth: parsed.RATE_LIMIT_AUTH,
      upload: parsed.RATE_LIMIT_UPLOAD,
      backup: parsed.RATE_LIMIT_BACKUP,
    },
    nodeLocalAddresses: parsed.NODE_LOCAL_ADDRESSES,
    services: {
      identity: parsed.IDENTITY_ADDRESS,
      servers: parsed.SERVERS_ADDRESS,
      billing: parsed.BILLING_ADDRESS,
      admin: parsed.ADMIN_ADDRESS,
    },
  };
}
