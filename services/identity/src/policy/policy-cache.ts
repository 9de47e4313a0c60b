import type { Logger } from '@panel/kit/process';
import { SecuritySettings_RequireTwoFactor, type SettingsServiceService } from '@panel/protos/admin';
import type { Client } from '@panel/rpc';
import { boundSessions, defaultPolicy, isSamePolicy, type Policy } from '../domain/policy.js';
import type { PolicyStore } from '../models/policy.js';
import type { AuthEpochs } from '../revocation/auth-epochs.js';

interface PolicyCacheOptions {
  /** Null: the default policy. */
  readonly settings: Client<typeof SettingsServiceService> | null;
  readonly store: PolicyStore;
  readonly epochs: AuthEpochs;
  readonly log: Logger;
}

export class PolicyCache {
  readonly #options: PolicyCacheOptions;
  #policy = defaultPolicy;
  #isUnavailable = false;

  constructor(options: PolicyCacheOptions) {
    this.#options = options;
  }

  /** Never waits. */
  current(): Policy {
    return this.#policy;
  }

  /** Loads the last policy of an earlier process. */
  async restore(): Promise<void> {
    this.#policy = (await this.#options.store.read()) ?? defaultPolicy;
  }

  /** Invalidates gateway caches when rights change. */
  async refresh(signal: AbortSignal): Promise<void> {
    const { settings, store, epochs, log } = this.#options;
    if (settings === null) return;
    let policy: Policy;
    try {
      policy = await readPolicy(settings, signal);
    } catch (error) {
      if (!this.#isUnavailable) log.warn({ err: error }, 'the settings cannot be read, the last known policy holds');
      this.#isUnavailable = true;
      return;
    }
    this.#isUnavailable = false;
    if (isSamePolicy(this.#policy, policy)) return;
    await store.write(policy);
    const changesRights = this.#policy.requireTwoFactor !== policy.requireTwoFactor;
    this.#policy = policy;
    if (changesRights) await epochs.bumpAll();
  }
}

async function readPolicy(settings: Client<typeof SettingsServiceService>, signal: AbortSignal): Promise<Policy> {
  const { settings: all } = await settings.getSettings({}, { signal, timeoutMs: 2_000 });
  return {
    requireTwoFactor: requirementOf(all?.security?.requireTwoFactor),
    sessionsPerUser: boundSessions(all?.security?.sessionsPerUser ?? defaultPolicy.sessionsPerUser),
    panelName: all?.general?.name || defaultPolicy.panelName,
  };
}

function requirementOf(setting: SecuritySettings_RequireTwoFactor | undefined): Policy['requireTwoFactor'] {
  if (setting === SecuritySettings_RequireTwoFactor.ALL) return 'all';
  return setting === SecuritySettings_RequireTwoFactor.ADMINS ? 'admins' : 'none';
}
