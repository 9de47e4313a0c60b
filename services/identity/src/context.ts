import { type ActivityLog, createActivityLog } from '@panel/activity';
import type { ConcurrencyLimiter } from '@panel/kit/async';
import type { Jobs, Logger, TaskGroup } from '@panel/kit/process';
import { createOutboxMetrics, type OutboxMetrics } from '@panel/outbox';
import type { ServiceBase } from '@panel/rpc';
import { createClients, type IdentityClients } from './clients.js';
import type { IdentityConfig } from './config.js';
import { createCryptography, type Cryptography } from './crypto/cryptography.js';
import { createHashingLimiter } from './crypto/hashing-limiter.js';
import { createStores, type Stores } from './models/stores.js';
import { PolicyCache } from './policy/policy-cache.js';
import { type AuthEpochs, createAuthEpochs } from './revocation/auth-epochs.js';

export interface IdentityContext extends Stores, Cryptography, IdentityClients {
  readonly log: Logger;
  /** Movable in tests. */
  readonly clock: () => Date;
  /** Of authenticator apps. */
  readonly systemClock: () => Date;
  readonly tasks: TaskGroup;
  readonly epochs: AuthEpochs;
  readonly policy: PolicyCache;
  readonly activity: ActivityLog;
  readonly outboxMetrics: OutboxMetrics;
  /** Password resets run outside of their requests. */
  readonly resetLimiter: ConcurrencyLimiter;
  /** Runs the part of a job for one item. */
  readonly attempt: Jobs['attempt'];
}

export type IdentityOverrides = Partial<Pick<IdentityContext, 'clock' | 'passwords' | 'epochs'>>;

/** On an open database. The caller stops `epochs`. */
export async function createContext(
  config: IdentityConfig,
  base: Pick<ServiceBase, 'log' | 'tasks' | 'mongo' | 'connectTo' | 'jobs' | 'metrics' | 'clock' | 'systemClock'>,
  overrides: IdentityOverrides = {},
): Promise<IdentityContext> {
  const { log, mongo, tasks, jobs } = base;
  const stores = createStores(mongo);
  const epochs = overrides.epochs ?? createAuthEpochs({ redisUrl: config.redisUrl, log, tasks });
  const { clock = base.clock, clock: systemClock = base.systemClock } = overrides;
  const clients = createClients(config, base.connectTo);
  const { admin } = clients;
  const outboxMetrics = createOutboxMetrics(base.metrics.registry);
  return {
    ...stores,
    ...(await createCryptography(config, overrides.passwords)),
    log,
    clock,
    systemClock,
    tasks,
    epochs,
    policy: new PolicyCache({ settings: admin?.settings ?? null, store: stores.policies, epochs, log }),
    ...clients,
    activity: createActivityLog({ ...base, client: admin?.activity ?? null, metrics: outboxMetrics, clock }),
    outboxMetrics,
    resetLimiter: createHashingLimiter({ concurrency: 4, maxWaiting: 256 }),
    attempt: async (...item) => jobs.attempt(...item),
  };
}
