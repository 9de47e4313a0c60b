import { type ActorSigner, createActorSigner, createTokenKey } from '@panel/rpc';
import { createLogger, createMetrics, type Logger, type Metrics } from '@panel/kit';
import { Authenticator } from './auth/authenticator.js';
import { CredentialReader } from './auth/credential.js';
import type { GatewayConfig } from './config.js';
import { type ClientIpFinder, createClientIpFinder } from './http/client-ip.js';
import { createRequestMetrics, type RequestMetrics } from './http/request-metrics.js';
import type { ResponseStore } from './idempotency/response-store.js';
import { createMemoryResponseStore } from './idempotency/memory-response-store.js';
import { createRedisResponseStore } from './idempotency/redis-response-store.js';
import { createResponseEncryption, type ResponseEncryption } from './idempotency/response-encryption.js';
import type { Counters } from './limits/counters.js';
import { RateLimiter } from './limits/limiter.js';
import { createMemoryCounters } from './limits/memory-counters.js';
import { connectRedis, waitForRedis } from './limits/redis-connection.js';
import { createRedisCounters } from './limits/redis-counters.js';
import { createResilientCounters } from './limits/resilient-counters.js';
import { QuotaRules } from './limits/rules.js';
import { createSlotLeases, type SlotLeases } from './ws/slot-leases.js';
import { type ConnectedServices, connectServices } from './services.js';

/** Everything the parts of the gateway hold. */
export interface GatewayContext {
  readonly config: GatewayConfig;
  readonly clock: () => Date;
  readonly log: Logger;
  /** One line per request. */
  readonly requestLog: Logger;
  readonly metrics: Metrics;
  readonly requestMetrics: RequestMetrics;
  readonly signer: ActorSigner;
  readonly services: ConnectedServices;
  readonly clientIp: ClientIpFinder;
  readonly credentials: CredentialReader;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly responseStore: ResponseStore;
  readonly responseEncryption: ResponseEncryption;
  /** Null where there is no Redis. */
  readonly slotLeases: SlotLeases | null;
  /** Close connections. Call it when nothing is served any more. */
  close(): Promise<void>;
}

/** What a test replaces. */
export interface ContextOverrides {
  readonly log?: Logger;
  readonly clock?: () => Date;
}

export async function createContext(config: GatewayConfig, overrides: ContextOverrides = {}): Promise<GatewayContext> {
  const clock = overrides.clock ?? (() => new Date());
  const log = overrides.log ?? createLogger({ service: 'gateway', level: config.logLevel });
  const requestLog = overrides.log ?? createLogger({ service: 'gateway', level: config.logLevel, isPlain: true });
  const metrics = createMetrics('gateway');
  const requestMetrics = createRequestMetrics(metrics);
  const signer = createActorSigner(config.serviceSecret);
  const services = connectServices({
    addresses: config.services,
    signer,
    tls: config.tls,
    transport: config.transport,
  });
  const shared = await createShared(config, { log, clock, requestMetrics });
  return {
    config,
    clock,
    log,
    requestLog,
    metrics,
    requestMetrics,
    signer,
    services,
    clientIp: createClientIpFinder(config.trustedProxies),
    credentials: new CredentialReader(createTokenKey(config.jwtSecret), config.keyPrefix),
    authenticator: new Authenticator({ auth: services.auth, signer, clock }),
    limiter: new RateLimiter(new QuotaRules(config.rateLimits), shared.counters),
    responseStore: shared.responseStore,
    slotLeases: shared.slotLeases,
    responseEncryption: createResponseEncryption(config.serviceSecret),
    close: async () => {
      await shared.stop();
      services.close();
    },
  };
}

/** What all gateways of an installation share, where there is a Redis; else it is this gateway's own. */
interface Shared {
  readonly counters: Counters;
  readonly responseStore: ResponseStore;
  readonly slotLeases: SlotLeases | null;
  stop(): Promise<void>;
}

async function createShared(
  config: GatewayConfig,
  { log, clock, requestMetrics }: Pick<GatewayContext, 'log' | 'clock' | 'requestMetrics'>,
): Promise<Shared> {
  const { redisUrl, redisPrefix } = config;
  if (redisUrl === null) {
    const counters = createMemoryCounters();
    return {
      counters,
      responseStore: createMemoryResponseStore(clock),
      slotLeases: null,
      stop: async () => counters.stop(),
    };
  }
  const redis = connectRedis(redisUrl, log);
  await waitForRedis(redis);
  const own = createMemoryCounters(1 / config.replicas);
  const counters = createResilientCounters(createRedisCounters(redis, redisPrefix), own, (error) => {
    requestMetrics.redisFailed();
    log.debug({ err: error }, 'a batch of counts was not answered by Redis');
  });
  return {
    counters,
    responseStore: createRedisResponseStore(redis, redisPrefix),
    slotLeases: createSlotLeases(redis, redisPrefix),
    stop: async () => {
      await counters.stop();
      redis.disconnect();
    },
  };
}
