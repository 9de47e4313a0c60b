import { type ActorSigner, createActorSigner, createTokenKey, FollowedClock, measureTls } from '@panel/rpc';
import { createAddressGuard, type ClientIpFinder, createClientIpFinder } from '@panel/kit/net';
import {
  createLogger,
  createMetrics,
  type Logger,
  type Metrics,
  realClock,
  startTracing,
  type Tracing,
} from '@panel/kit/process';
import { Authenticator, CredentialReader } from './auth/authenticator.js';
import { type CountryFinder, createCountryFinder } from './http/caller-country.js';
import type { GatewayConfig } from './config.js';
import { BodyBudget } from './http/body-budget.js';
import { createRequestMetrics, type RequestMetrics } from './http/request-metrics.js';
import type { ResponseStore } from './idempotency/response-store.js';
import { createMemoryResponseStore } from './idempotency/memory-response-store.js';
import { createRedisResponseStore } from './idempotency/redis-response-store.js';
import { createResponseEncryption, type ResponseEncryption } from './idempotency/response-encryption.js';
import { type Counters, createMemoryCounters } from './limits/counters.js';
import { RateLimiter } from './limits/limiter.js';
import { connectRedis, waitForRedis } from './limits/redis-connection.js';
import { createRedisCounters } from './limits/redis-counters.js';
import { QuotaRules } from './limits/rules.js';
import { readSite, type Site, siteDirectory } from './site/read-site.js';
import { createSlotLeases, type SlotLeases } from './ws/slot-leases.js';
import { type ConnectedServices, connectServices } from './services.js';
import { JsonThreads } from './threads/json-threads.js';
import { PanelSettings } from './settings/panel-settings.js';

export interface GatewayContext {
  readonly config: GatewayConfig;
  readonly clock: () => Date;
  readonly log: Logger;
  /** One line per request. */
  readonly requestLog: Logger;
  readonly metrics: Metrics;
  readonly requestMetrics: RequestMetrics;
  /** Undefined without a collector. */
  readonly tracing: Tracing | undefined;
  readonly signer: ActorSigner;
  readonly services: ConnectedServices;
  readonly panelSettings: PanelSettings;
  readonly bodyBudget: BodyBudget;
  readonly jsonThreads: JsonThreads;
  readonly clientIp: ClientIpFinder;
  readonly callerCountry: CountryFinder;
  readonly credentials: CredentialReader;
  readonly authenticator: Authenticator;
  readonly limiter: RateLimiter;
  readonly responseStore: ResponseStore;
  readonly responseEncryption: ResponseEncryption;
  /** Null without Redis. */
  readonly slotLeases: SlotLeases | null;
  /** Null: disabled or not built. */
  readonly site: Site | null;
  /** After the last request. */
  close(): Promise<void>;
}

export interface ContextOverrides {
  readonly log?: Logger;
  readonly clock?: () => Date;
}

export async function createContext(config: GatewayConfig, overrides: ContextOverrides = {}): Promise<GatewayContext> {
  const log = overrides.log ?? createLogger({ service: 'gateway', level: config.logLevel });
  const requestLog = overrides.log ?? createLogger({ service: 'gateway', level: config.logLevel, isPlain: true });
  const metrics = createMetrics('gateway');
  measureTls(metrics, config.tls);
  const requestMetrics = createRequestMetrics(metrics);
  const tracing = config.tracing
    ? await startTracing({ service: 'gateway', isEdge: true, ...config.tracing })
    : undefined;
  const signer = createActorSigner(config.serviceSecret);
  const services = connectServices({
    addresses: config.services,
    signer,
    tls: config.tls,
    transport: config.transport,
    nodeGuard: createAddressGuard(config.nodeLocalAddresses),
  });
  const followed = config.testClock
    ? await FollowedClock.start({ name: 'gateway', source: services.clockSource, log })
    : null;
  // Nothing here waits for a time.
  followed?.settleBy(async () => undefined);
  const { clock = (followed?.clock ?? realClock).now } = overrides;
  const site = config.webConsole ? await readSite(siteDirectory()) : null;
  if (config.webConsole && !site) log.warn('the web console is not built: run npm run build');
  const shared = await createSharedState(config, { log, clock, requestMetrics });
  return {
    config,
    clock,
    log,
    requestLog,
    metrics,
    requestMetrics,
    tracing,
    signer,
    services,
    panelSettings: new PanelSettings(services.settings),
    bodyBudget: new BodyBudget(config.maxBodyBytesInFlight),
    jsonThreads: new JsonThreads(),
    clientIp: createClientIpFinder(config.trustedProxies),
    callerCountry: createCountryFinder(config.countryHeader, config.trustedProxies),
    credentials: new CredentialReader(createTokenKey(config.jwtSecret), config.keyPrefix, clock),
    authenticator: new Authenticator({ auth: services.auth, signer, clock }),
    limiter: new RateLimiter(new QuotaRules(config.rateLimits), shared.counters),
    responseStore: shared.responseStore,
    slotLeases: shared.slotLeases,
    site,
    responseEncryption: createResponseEncryption(config.serviceSecret),
    close: async () => {
      await followed?.stop();
      shared.disconnect();
      services.close();
      await tracing?.stop();
    },
  };
}

/** Shared through Redis; without Redis local. */
interface SharedState {
  readonly counters: Counters;
  readonly responseStore: ResponseStore;
  readonly slotLeases: SlotLeases | null;
  disconnect(): void;
}

async function createSharedState(
  config: GatewayConfig,
  { log, clock, requestMetrics }: Pick<GatewayContext, 'log' | 'clock' | 'requestMetrics'>,
): Promise<SharedState> {
  const { redisUrl, redisPrefix, replicas } = config;
  if (redisUrl === null) {
    const responseStore = createMemoryResponseStore(clock);
    return { counters: createMemoryCounters(), responseStore, slotLeases: null, disconnect: () => undefined };
  }
  const redis = connectRedis(redisUrl, log);
  await waitForRedis(redis);
  const counters = createRedisCounters({
    redis,
    prefix: redisPrefix,
    insuranceShare: 1 / replicas,
    onFailure: () => {
      requestMetrics.redisFailed();
      log.debug('Redis did not respond to a count');
    },
  });
  requestMetrics.watchRedis(async () => counters.ping());
  return {
    counters,
    responseStore: createRedisResponseStore(redis, redisPrefix),
    slotLeases: createSlotLeases(redis, redisPrefix),
    disconnect: () => redis.disconnect(),
  };
}
