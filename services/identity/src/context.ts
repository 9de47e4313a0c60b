import type { Logger, MongoConnection, ServiceBase, TaskGroup } from '@panel/kit';
import { type AuthEpochs, createAuthEpochs } from './auth-epochs.js';
import type { IdentityConfig } from './config.js';
import { type ApiKeys, createApiKeys } from './crypto/api-keys.js';
import { createPasswordHasher, type PasswordHasher } from './crypto/passwords.js';
import { createTokens, type Tokens } from './crypto/tokens.js';
import { type ApiKeyStore, createApiKeyStore } from './models/api-key.js';
import { createRoleStore, type RoleStore } from './models/role.js';
import { createSessionStore, type SessionStore } from './models/session.js';
import { createUserStore, type UserStore } from './models/user.js';

/** What handlers work with. */
export interface IdentityContext {
  readonly log: Logger;
  /** The time now; tests move it. */
  readonly clock: () => Date;
  readonly users: UserStore;
  readonly roles: RoleStore;
  readonly sessions: SessionStore;
  readonly apiKeys: ApiKeyStore;
  readonly passwords: PasswordHasher;
  readonly tokens: Tokens;
  readonly keyMaker: ApiKeys;
  readonly epochs: AuthEpochs;
  /** Work beside requests. */
  readonly tasks: TaskGroup;
}

/** Parts a test replaces. */
export type IdentityOverrides = Partial<Pick<IdentityContext, 'clock' | 'passwords' | 'epochs'>>;

/** Build the context on an open database. The caller stops `epochs`. */
export async function createContext(
  config: IdentityConfig,
  base: Pick<ServiceBase, 'log' | 'tasks'> & { readonly mongo: MongoConnection },
  overrides: IdentityOverrides = {},
): Promise<IdentityContext> {
  const { log, mongo, tasks } = base;
  return {
    log,
    tasks,
    clock: overrides.clock ?? (() => new Date()),
    users: createUserStore(mongo),
    roles: createRoleStore(mongo),
    sessions: createSessionStore(mongo),
    apiKeys: createApiKeyStore(mongo),
    passwords: overrides.passwords ?? (await createPasswordHasher()),
    tokens: createTokens({
      secret: config.jwtSecret,
      accessTtlMs: config.accessTtlMs,
      refreshTtlMs: config.refreshTtlMs,
    }),
    keyMaker: createApiKeys(config.keyPrefix),
    epochs: overrides.epochs ?? createAuthEpochs({ redisUrl: config.redisUrl, log, tasks }),
  };
}
