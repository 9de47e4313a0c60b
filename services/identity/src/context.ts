import { type ActivityLog, createActivityLog } from '@panel/activity';
import type { ConcurrencyLimiter } from '@panel/kit/async';
import type { Jobs, Logger, TaskGroup } from '@panel/kit/process';
import { createOutboxMetrics, type OutboxMetrics } from '@panel/outbox';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { OwnershipServiceService } from '@panel/protos/servers';
import type { Client, ServiceBase } from '@panel/rpc';
import type { IdentityConfig } from './config.js';
import { createCryptography, type Cryptography } from './crypto/cryptography.js';
import { createHashingLimiter } from './crypto/hashing-limiter.js';
import { createStores, type Stores } from './models/stores.js';
import { PolicyCache } from './policy/policy-cache.js';
import { type AuthEpochs, createAuthEpochs } from './revocation/auth-epochs.js';

interface AdminClients {
  readonly mail: Client<typeof MailServiceService>;
  readonly activity: Client<typeof ActivityServiceService>;
  readonly settings: Client<typeof SettingsServiceService>;
}

export interface IdentityContext extends Stores, Cryptography {
  readonly log: Logger;
  /** Movable in tests. */
  readonly clock: () => Date;
  readonly tasks: TaskGroup;
  readonly epochs: AuthEpochs;
  readonly policy: PolicyCache;
  /** Null: no mail. */
  readonly admin: AdminClients | null;
  readonly activity: ActivityLog;
  readonly outboxMetrics: OutboxMetrics;
  /** Null: users cannot be deleted. */
  readonly ownership: Client<typeof OwnershipServiceService> | null;
  /** Password resets run outside of their requests. */
  readonly resetLimiter: ConcurrencyLimiter;
  /** Runs the part of a job for one item. */
  readonly attempt: Jobs['attempt'];
}

export type IdentityOverrides = Partial<Pick<IdentityContext, 'clock' | 'passwords' | 'epochs'>>;

/** On an open database. The caller stops `epochs`. */
export async function createContext(
  config: IdentityConfig,
  base: Pick<ServiceBase, 'log' | 'tasks' | 'mongo' | 'connectTo' | 'jobs' | 'metrics'>,
  overrides: IdentityOverrides = {},
): Promise<IdentityContext> {
  const { log, mongo, tasks, jobs } = base;
  const stores = createStores(mongo);
  const epochs = overrides.epochs ?? createAuthEpochs({ redisUrl: config.redisUrl, log, tasks });
  const clock = overrides.clock ?? (() => new Date());
  const admin = config.adminAddress === null ? null : adminClients(base.connectTo(config.adminAddress));
  const servers = config.serversAddress === null ? null : base.connectTo(config.serversAddress);
  const outboxMetrics = createOutboxMetrics(base.metrics.registry);
  return {
    ...stores,
    ...(await createCryptography(config, overrides.passwords)),
    log,
    clock,
    tasks,
    epochs,
    policy: new PolicyCache({ settings: admin?.settings ?? null, store: stores.policies, epochs, log }),
    admin,
    activity: createActivityLog({ ...base, client: admin?.activity ?? null, metrics: outboxMetrics, clock }),
    outboxMetrics,
    ownership: servers?.client(OwnershipServiceService) ?? null,
    resetLimiter: createHashingLimiter({ concurrency: 4, maxWaiting: 256 }),
    attempt: async (...item) => jobs.attempt(...item),
  };
}

function adminClients(connection: ReturnType<ServiceBase['connectTo']>): AdminClients {
  return {
    mail: connection.client(MailServiceService),
    activity: connection.client(ActivityServiceService),
    settings: connection.client(SettingsServiceService),
  };
}
