import { ConfigError, duration, type Environment, parseEnvironment, secret } from '@panel/kit/process';
import { grpcTarget, type ServiceConfig, serviceConfig, serviceVariables, tokenConstants } from '@panel/rpc';
import { z } from 'zod';

export interface IdentityConfig extends ServiceConfig {
  /** Signs user tokens. A change ends all sessions, but keeps API keys and two-factor secrets. */
  readonly jwtSecret: string;
  readonly accessTtlMs: number;
  readonly refreshTtlMs: number;
  /** Prefix of API keys, before the underscore. */
  readonly keyPrefix: string;
  /** Revocations for gateways; null: one gateway, which calls identity on every request. */
  readonly redisUrl: string | null;
  /** gRPC target of admin (settings, mail, activity), or null. */
  readonly adminAddress: string | null;
  /** gRPC target of servers (ownership), or null. */
  readonly serversAddress: string | null;
  /** gRPC target of billing (obligations), or null. */
  readonly billingAddress: string | null;
}

const lifetimeUpTo = (maxSeconds: number, word: string) =>
  duration.refine((ms) => ms >= 1000 && ms <= maxSeconds * 1000, `must be from 1s to ${word}`);

export const variables = {
  ...serviceVariables,
  JWT_SECRET: secret.describe('the secret that signs sessions; make one with: openssl rand -base64 48'),
  JWT_ACCESS_EXPIRY: lifetimeUpTo(tokenConstants.maxLifetimeSeconds.access, '24h')
    .prefault('15m')
    .describe('lifetime of access tokens'),
  JWT_REFRESH_EXPIRY: lifetimeUpTo(tokenConstants.maxLifetimeSeconds.refresh, '366d')
    .prefault('7d')
    .describe('lifetime of refresh tokens and sessions'),
  KEY_PREFIX: z
    .string()
    .regex(/^[a-z][a-z0-9]{0,15}$/, 'must be a lower-case letter followed by at most 15 letters and digits')
    .default('gsp')
    .describe('prefix of API keys'),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\/\S+$/, 'must be a redis:// or rediss:// address')
    .optional()
    .describe('Redis for shared rate limits and revocations; needed for more than one gateway process'),
  ADMIN_ADDRESS: grpcTarget.optional().describe('host:port of the admin service'),
  SERVERS_ADDRESS: grpcTarget.optional().describe('host:port of the servers service'),
  BILLING_ADDRESS: grpcTarget
    .optional()
    .describe('host:port of the billing service; without it users are deleted whatever they have or owe there'),
};

/** Throws ConfigError with every problem at once. */
export function readConfig(env: Environment = process.env): IdentityConfig {
  const parsed = parseEnvironment(env, variables);
  if (parsed.JWT_ACCESS_EXPIRY >= parsed.JWT_REFRESH_EXPIRY)
    throw new ConfigError(['JWT_ACCESS_EXPIRY must be shorter than JWT_REFRESH_EXPIRY']);
  return {
    ...serviceConfig(parsed),
    jwtSecret: parsed.JWT_SECRET,
    accessTtlMs: parsed.JWT_ACCESS_EXPIRY,
    refreshTtlMs: parsed.JWT_REFRESH_EXPIRY,
    keyPrefix: parsed.KEY_PREFIX,
    redisUrl: parsed.REDIS_URL ?? null,
    adminAddress: parsed.ADMIN_ADDRESS ?? null,
    serversAddress: parsed.SERVERS_ADDRESS ?? null,
    billingAddress: parsed.BILLING_ADDRESS ?? null,
  };
}
