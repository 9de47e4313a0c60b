import type { Client, ServiceBase } from '@panel/rpc';
import type { ConcurrencyLimiter } from '@panel/kit/async';
import { createJobLeases, createWindowCounter, type WindowCounter } from '@panel/kit/mongo';
import type { Job, Jobs, Logger, TaskGroup } from '@panel/kit/process';
import { createOutboxMetrics } from '@panel/outbox';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { OwnershipServiceService } from '@panel/protos/servers';
import type { IdentityConfig } from './config.js';
import { type ApiKeys, createApiKeys } from './crypto/api-keys.js';
import { loadCommonPasswords } from './crypto/common-passwords.js';
import { createPasswordHasher, type PasswordHasher } from './crypto/passwords.js';
import { createSecretBox, type SecretBox } from './crypto/secret-box.js';
import { createTokens, type Tokens } from './crypto/tokens.js';
import { createHashingLimiter } from './crypto/hashing-limiter.js';
import { createReferenceStore, type ReferenceStore } from './models/references.js';
import { type AdminRoster, createAdminRoster } from './models/admin-roster.js';
import { type ApiKeyStore, createApiKeyStore } from './models/api-key.js';
import { type ChallengeStore, createChallengeStore } from './models/challenge.js';
import { createUserOutboxes, type UserOutboxes } from './models/outbox.js';
import { createPolicyStore } from './models/policy.js';
import { createPreferencesStore, type PreferencesStore } from './models/preferences.js';
import { createRoleStore, type RoleStore } from './models/role.js';
import { createSessionStore, type SessionStore } from './models/session.js';
import { createSshKeyStore, type SshKeyStore } from './models/ssh-key.js';
import { createTwoFactorStore, type TwoFactorStore } from './models/two-factor.js';
import { defineUserModel } from './models/user-document.js';
import { createUserStore, type UserStore } from './models/user.js';
import { createOutboxJobs } from './usecases/outbox/outbox-jobs.js';
import { type AuthEpochs, createAuthEpochs } from './usecases/revocation/auth-epochs.js';
import { PolicyCache } from './usecases/policy/policy-cache.js';

/** What handlers and use cases work with. */
export interface IdentityContext {
  readonly log: Logger;
  /** The current time; tests move it. */
  readonly clock: () => Date;
  readonly users: UserStore;
  readonly twoFactor: TwoFactorStore;
  readonly outboxes: UserOutboxes;
  readonly roles: RoleStore;
  readonly roster: AdminRoster;
  readonly sessions: SessionStore;
  readonly apiKeys: ApiKeyStore;
  readonly sshKeys: SshKeyStore;
  readonly preferences: PreferencesStore;
  readonly references: ReferenceStore;
  readonly jobLease: ReturnType<typeof createJobLeases>;
  readonly attempts: WindowCounter;
  readonly challenges: ChallengeStore;
  readonly passwords: PasswordHasher;
  /** In lower case; refused as passwords. */
  readonly commonPasswords: ReadonlySet<string>;
  readonly box: SecretBox;
  readonly tokens: Tokens;
  readonly apiKeyGenerator: ApiKeys;
  readonly epochs: AuthEpochs;
  readonly policy: PolicyCache;
  /** False without an admin service: then mail is not sent and activity not recorded. */
  readonly hasAdminService: boolean;
  /** Deliver mail and activity to the admin service. */
  readonly outboxJobs: readonly Job[];
  /** Do the part of a job that concerns one item. */
  readonly attempt: Jobs['attempt'];
  /** Null without a servers service: then users cannot be deleted. */
  readonly ownership: Client<typeof OwnershipServiceService> | null;
  /** Password resets run beside their requests, a few at once. */
  readonly resetLimiter: ConcurrencyLimiter;
  /** Work beside requests. */
  readonly tasks: TaskGroup;
}

/** Parts a test replaces. */
export type IdentityOverrides = Partial<Pick<IdentityContext, 'clock' | 'passwords' | 'epochs'>>;

type Base = Pick<ServiceBase, 'log' | 'tasks' | 'metrics' | 'mongo' | 'connectTo' | 'jobs'>;

/** Create the context on an open database. The caller stops `epochs`. */
export async function createContext(
  config: IdentityConfig,
  base: Base,
  overrides: IdentityOverrides = {},
): Promise<IdentityContext> {
  const { log, mongo, tasks } = base;
  const clock = overrides.clock ?? (() => new Date());
  const metrics = createOutboxMetrics(base.metrics.registry);
  const users = defineUserModel(mongo);
  const outboxes = createUserOutboxes(mongo, users);
  const box = createSecretBox(config.serviceSecret);
  const epochs = overrides.epochs ?? createAuthEpochs({ redisUrl: config.redisUrl, log, tasks });
  const admin = config.adminAddress === null ? null : base.connectTo(config.adminAddress);
  const servers = config.serversAddress === null ? null : base.connectTo(config.serversAddress);
  return {
    log,
    tasks,
    clock,
    users: createUserStore(users),
    twoFactor: createTwoFactorStore(users),
    outboxes,
    roles: createRoleStore(mongo),
    roster: createAdminRoster(mongo),
    sessions: createSessionStore(mongo),
    apiKeys: createApiKeyStore(mongo),
    sshKeys: createSshKeyStore(mongo),
    preferences: createPreferencesStore(mongo),
    references: createReferenceStore(mongo),
    jobLease: createJobLeases(mongo),
    attempts: createWindowCounter(mongo, 'attempts'),
    challenges: createChallengeStore(mongo),
    commonPasswords: loadCommonPasswords(),
    passwords: overrides.passwords ?? (await createPasswordHasher()),
    box,
    tokens: createTokens({ ...config, secret: config.jwtSecret }),
    apiKeyGenerator: createApiKeys(config.keyPrefix, config.serviceSecret),
    epochs,
    policy: new PolicyCache({
      settings: admin?.client(SettingsServiceService) ?? null,
      store: createPolicyStore(mongo),
      epochs,
      log,
    }),
    hasAdminService: admin !== null,
    attempt: async (...item) => base.jobs.attempt(...item),
    outboxJobs: admin === null ? [] : createOutboxJobs({ ...outboxClients(admin), outboxes, box, clock, log, metrics }),
    ownership: servers?.client(OwnershipServiceService) ?? null,
    resetLimiter: createHashingLimiter({ concurrency: 4, maxWaiting: 256 }),
  };
}

function outboxClients(admin: ReturnType<ServiceBase['connectTo']>) {
  return { mail: admin.client(MailServiceService), activity: admin.client(ActivityServiceService) };
}
