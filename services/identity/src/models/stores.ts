import { createJobLeases, createWindowCounter, type MongoConnection } from '@panel/kit/mongo';
import { createAdminRoster } from './admin-roster.js';
import { createApiKeyStore } from './api-key.js';
import { createChallengeStore } from './challenge.js';
import { createUserOutboxes } from './outbox.js';
import { createPolicyStore } from './policy.js';
import { createPreferencesStore } from './preferences.js';
import { createReferenceStore } from './references.js';
import { createRoleStore } from './role.js';
import { createSessionStore } from './session.js';
import { createSshKeyStore } from './ssh-key.js';
import { createTwoFactorStore } from './two-factor.js';
import { defineUserModel } from './user-document.js';
import { createUserStore } from './user.js';

export type Stores = ReturnType<typeof createStores>;

export function createStores(mongo: MongoConnection) {
  const users = defineUserModel(mongo);
  return {
    users: createUserStore(users),
    twoFactor: createTwoFactorStore(users),
    outboxes: createUserOutboxes(mongo, users),
    roles: createRoleStore(mongo),
    roster: createAdminRoster(mongo),
    sessions: createSessionStore(mongo),
    apiKeys: createApiKeyStore(mongo),
    sshKeys: createSshKeyStore(mongo),
    preferences: createPreferencesStore(mongo),
    references: createReferenceStore(mongo),
    challenges: createChallengeStore(mongo),
    policies: createPolicyStore(mongo),
    attempts: createWindowCounter(mongo, 'attempts'),
    jobLease: createJobLeases(mongo),
  };
}
