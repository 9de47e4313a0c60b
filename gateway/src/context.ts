import {
  type ActorSigner,
  createActorSigner,
  createLogger,
  createMetrics,
  createTokenKey,
  type Logger,
  type Metrics,
} from '@panel/kit';
import { Authenticator } from './auth/authenticator.js';
import { CredentialReader } from './auth/credential.js';
import type { GatewayConfig } from './config.js';
import { type ClientIpFinder, createClientIpFinder } from './http/client-ip.js';
import { createRequestMetrics, type RequestMetrics } from './http/request-metrics.js';
import type { Counters } from './limits/counters.js';
import { RateLimiter } from './limits/limiter.js';
import { createMemoryCounters } from './limits/memory-counters.js';
import { connectRedis, settleRedis } from './limits/redis-connection.js';
import { createRedisCounters } from './limits/redis-counters.js';
import { createResilientCounters } from './limits/resilient-counters.js';
import { QuotaRules } from './limits/rules.js';
import { type ConnectedServices, connectServices } from './services.js';

/** Everything the parts of the gateway hold. */
export interface GatewayContext {
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly requestMetrics: RequestMetrics;
  readonly signer: ActorSigner;
  readonly services: ConnectedServices;
  readonly clientIp: ClientIpFinder;
  readonly credentials: CredentialReader;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  /** Close connections. Call it when nothing is served any more. */
  close(): Promise<void>;
}

export async function createContext(
  config: GatewayConfig,
  overrides: { readonly log?: Logger } = {},
): Promise<GatewayContext> {
  const log = overrides.log ?? createLogger({ service: 'gateway', level: config.logLevel });
  const metrics = createMetrics('gateway');
  const requestMetrics = createRequestMetrics(metrics);
  const signer = createActorSigner(config.serviceSecret);
  const services = connectServices({ addresses: config.services, signer, tls: config.tls });
  const counters = await createCounters(config, log, requestMetrics);
  return {
    config,
    log,
    metrics,
    requestMetrics,
    signer,
    services,
    clientIp: createClientIpFinder(config.trustedProxies),
    credentials: new CredentialReader(createTokenKey(config.jwtSecret), config.keyPrefix),
    authenticator: new Authenticator({ auth: services.auth, signer }),
    limiter: new RateLimiter(new QuotaRules(config.rateLimits), counters),
    close: async () => {
      await counters.stop();
      services.close();
    },
  };
}

async function createCounters(config: GatewayConfig, log: Logger, metrics: RequestMetrics): Promise<Counters> {
  if (config.redisUrl === null) return createMemoryCounters();
  const redis = connectRedis(config.redisUrl, log);
  await settleRedis(redis);
  const shared = createRedisCounters(redis, config.redisPrefix);
  const own = createMemoryCounters(1 / config.replicas);
  const counters = createResilientCounters(shared, own, (error) => {
    metrics.redisFailed();
    log.debug({ err: error }, 'a batch of counts was not answered by Redis');
  });
  return {
    count: async (counts, userId) => counters.count(counts, userId),
    isUp: () => counters.isUp(),
    stop: async () => {
      await counters.stop();
      redis.disconnect();
    },
  };
}
