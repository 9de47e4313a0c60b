import type { Client, ServiceBase } from '@panel/rpc';
import type { Logger, TaskGroup } from '@panel/kit';
import { ActivityServiceService, MailServiceService, SettingsServiceService } from '@panel/protos/admin';
import { OwnershipServiceService } from '@panel/protos/servers';
import { type AuthEpochs, createAuthEpochs } from './auth-epochs.js';
import type { IdentityConfig } from './config.js';
import { type ApiKeys, createApiKeys } from './crypto/api-keys.js';
import { createPasswordHasher, type PasswordHasher } from './crypto/passwords.js';
import { createSecretBox, type SecretBox } from './crypto/secret-box.js';
import { createTokens, type Tokens } from './crypto/tokens.js';
import { createTurnstile, type Turnstile } from './crypto/turnstile.js';
import { type AdminRoster, createAdminRoster } from './models/admin-roster.js';
import { type ApiKeyStore, createApiKeyStore } from './models/api-key.js';
import { type AttemptStore, createAttemptStore } from './models/attempts.js';
import { type ChallengeStore, createChallengeStore } from './models/challenge.js';
import { createNewsStore, type NewsStore } from './models/news.js';
import { createPolicyStore } from './models/policy.js';
import { createRoleStore, type RoleStore } from './models/role.js';
import { createSessionStore, type SessionStore } from './models/session.js';
import { createTwoFactorStore, type TwoFactorStore } from './models/two-factor.js';
import { defineUserModel } from './models/user-document.js';
import { createUserStore, type UserStore } from './models/user.js';
import { createNewsDelivery, type NewsDelivery } from './news.js';
import { createPolicyWatch, type PolicyWatch } from './policy.js';

/** What handlers work with. */
export interface IdentityContext {
  readonly log: Logger;
  /** The time now; tests move it. */
  readonly clock: () => Date;
  readonly users: UserStore;
  readonly twoFactor: TwoFactorStore;
  readonly newsStore: NewsStore;
  readonly roles: RoleStore;
  readonly roster: AdminRoster;
  readonly sessions: SessionStore;
  readonly apiKeys: ApiKeyStore;
  readonly attempts: AttemptStore;
  readonly challenges: ChallengeStore;
  readonly passwords: PasswordHasher;
  readonly box: SecretBox;
  readonly tokens: Tokens;
  readonly keyMaker: ApiKeys;
  readonly epochs: AuthEpochs;
  readonly policy: PolicyWatch;
  /** Null without an admin service: then mail is not sent and activity not written down. */
  readonly news: NewsDelivery | null;
  /** Null without a servers service: then users cannot be deleted. */
  readonly ownership: Client<typeof OwnershipServiceService> | null;
  /** Password resets asked for and not looked at yet. */
  readonly resets: Turnstile;
  /** Work beside requests. */
  readonly tasks: TaskGroup;
}

/** Parts a test replaces. */
export type IdentityOverrides = Partial<Pick<IdentityContext, 'clock' | 'passwords' | 'epochs'>>;

type Base = Pick<ServiceBase, 'log' | 'tasks' | 'mongo' | 'connectTo'>;

/** Build the context on an open database. The caller stops `epochs`. */
export async function createContext(
  config: IdentityConfig,
  base: Base,
  overrides: IdentityOverrides = {},
): Promise<IdentityContext> {
  const { log, mongo, tasks } = base;
  const users = defineUserModel(mongo);
  const newsStore = createNewsStore(users);
  const box = createSecretBox(config.serviceSecret);
  const epochs = overrides.epochs ?? createAuthEpochs({ redisUrl: config.redisUrl, log, tasks });
  const admin = config.adminAddress === null ? null : base.connectTo(config.adminAddress);
  const servers = config.serversAddress === null ? null : base.connectTo(config.serversAddress);
  return {
    log,
    tasks,
    clock: overrides.clock ?? (() => new Date()),
    users: createUserStore(users),
    twoFactor: createTwoFactorStore(users),
    newsStore,
    roles: createRoleStore(mongo),
    roster: createAdminRoster(mongo),
    sessions: createSessionStore(mongo),
    apiKeys: createApiKeyStore(mongo),
    attempts: createAttemptStore(mongo),
    challenges: createChallengeStore(mongo),
    passwords: overrides.passwords ?? (await createPasswordHasher()),
    box,
    tokens: createTokens({ ...config, secret: config.jwtSecret }),
    keyMaker: createApiKeys(config.keyPrefix, config.serviceSecret),
    epochs,
    policy: createPolicyWatch({
      settings: admin?.client(SettingsServiceService) ?? null,
      store: createPolicyStore(mongo),
      epochs,
      log,
    }),
    news: admin && createNewsDelivery({ ...newsClients(admin), store: newsStore, box, log }),
    ownership: servers?.client(OwnershipServiceService) ?? null,
    resets: createTurnstile({ parallel: 4, waiting: 256 }),
  };
}

function newsClients(admin: ReturnType<ServiceBase['connectTo']>) {
  return { mail: admin.client(MailServiceService), activity: admin.client(ActivityServiceService) };
}
