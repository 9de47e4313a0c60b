import type { Logger, ServiceBase } from '@panel/kit';
import type { AdminConfig } from './config.js';
import { createSecretBox, type SecretBox } from './domain/secret-box.js';
import { createSettingsStore, type SettingsStore } from './models/settings.js';

/** What the handlers hold. */
export interface AdminContext {
  readonly log: Logger;
  readonly settings: SettingsStore;
  readonly box: SecretBox;
}

export function createContext(base: Pick<ServiceBase, 'mongo' | 'log'>, config: AdminConfig): AdminContext {
  return {
    log: base.log,
    settings: createSettingsStore(base.mongo),
    box: createSecretBox(config.serviceSecret),
  };
}
