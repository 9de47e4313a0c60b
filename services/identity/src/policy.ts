import type { Client } from '@panel/rpc';
import type { Logger } from '@panel/kit';
import { SecuritySettings_RequireTwoFactor, type SettingsServiceService } from '@panel/protos/admin';
import type { AuthEpochs } from './auth-epochs.js';
import type { Policy, PolicyStore } from './models/policy.js';

/** What holds until the admin service has been heard for the first time. */
export const defaultPolicy: Policy = { requireTwoFactor: 'none', sessionsPerUser: 50, panelName: 'Panel' };

/** The part of the settings identity lives by. */
export interface PolicyWatch {
  /** As last heard; never waits. */
  current(): Policy;
  /** Ask the admin service, and tell the gateways when the answer changes what people may do. */
  refresh(signal: AbortSignal): Promise<void>;
  /** Read what was last heard before this process started. */
  restore(): Promise<void>;
}

export interface PolicyParts {
  readonly settings: Client<typeof SettingsServiceService> | null;
  readonly store: PolicyStore;
  readonly epochs: AuthEpochs;
  readonly log: Logger;
}

const maxSessionsPerUser = 1000;

export function createPolicyWatch({ settings, store, epochs, log }: PolicyParts): PolicyWatch {
  let policy = defaultPolicy;
  let isSilent = false;
  return {
    current: () => policy,
    restore: async () => {
      policy = (await store.read()) ?? defaultPolicy;
    },
    refresh: async (signal) => {
      if (settings === null) return;
      let heard: Policy;
      try {
        heard = await ask(settings, signal);
      } catch (error) {
        if (!isSilent) log.warn({ err: error }, 'the settings cannot be read: the last ones known hold');
        isSilent = true;
        return;
      }
      isSilent = false;
      if (isSame(policy, heard)) return;
      await store.write(heard);
      const changesRights = policy.requireTwoFactor !== heard.requireTwoFactor;
      policy = heard;
      if (changesRights) await epochs.changedForAll();
    },
  };
}

async function ask(settings: Client<typeof SettingsServiceService>, signal: AbortSignal): Promise<Policy> {
  const { settings: all } = await settings.getSettings({}, { signal, timeoutMs: 2_000 });
  const sessions = all?.security?.sessionsPerUser ?? defaultPolicy.sessionsPerUser;
  return {
    requireTwoFactor: requirementOf(all?.security?.requireTwoFactor),
    sessionsPerUser: Math.min(maxSessionsPerUser, Math.max(1, sessions)),
    panelName: all?.general?.name || defaultPolicy.panelName,
  };
}

function requirementOf(setting: SecuritySettings_RequireTwoFactor | undefined): Policy['requireTwoFactor'] {
  if (setting === SecuritySettings_RequireTwoFactor.ALL) return 'all';
  return setting === SecuritySettings_RequireTwoFactor.ADMINS ? 'admins' : 'none';
}

function isSame(one: Policy, other: Policy): boolean {
  return (
    one.requireTwoFactor === other.requireTwoFactor &&
    one.sessionsPerUser === other.sessionsPerUser &&
    one.panelName === other.panelName
  );
}
